// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "memory_writes.hh"

#include <algorithm>

namespace isoplane::perf {

namespace {

constexpr unsigned kAtOnce = 32;  // isochrons between two polls

/// A host that issues isochrons of writes as fast as they are let.
class Writer {
  public:
    Writer(MemoryHost& host, unsigned writes, Copies copies)
        : host_(host), isochron_(host.memory().isochron()), writes_(writes), copies_(copies) {}

    /// Issues what goes, then polls. With `took`, notes the ticks of each that went at once.
    void round(runtime::Histogram* took = nullptr) {
        unsigned issued = 0;
        while (issued < kAtOnce && issue_one(took))
            ++issued;
        host_.poll();
    }

    /// What was filled and never issued is dropped.
    void end() noexcept { isochron_.clear(); }

  private:
    bool issue_one(runtime::Histogram* took) {
        const bool anew = isochron_.empty();
        const std::uint64_t begin = rte_rdtsc();
        for (unsigned i = 0; anew && i < writes_; ++i, ++next_) {
            const bool own = copies_ == Copies::kMixed && next_ % 2 != 0;
            isochron_.write(shmem::Variable<std::uint32_t>{own ? host_.own(next_) : host_.others(next_)},
                            next_);
        }
        if (!host_.memory().issue(isochron_)) return false;
        if (took != nullptr && anew) took->record(rte_rdtsc() - begin);
        return true;
    }

    MemoryHost& host_;
    shmem::Isochron isochron_;
    unsigned writes_;
    Copies copies_;
    std::uint32_t next_ = 0;
};

/// Ticks that reading the counter adds to what is timed.
double cost_of_reading() {
    std::uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i < 1000; ++i) {
        const std::uint64_t begin = rte_rdtsc();
        least = std::min(least, rte_rdtsc() - begin);
    }
    return static_cast<double>(least);
}

void add_rate(Figures& figures, const FigureName& name, unsigned writes, Rate& executed) {
    const auto isochrons = executed.per_second();
    if (!isochrons) return;
    figures.add({name.what, name.by, name.at, "isochrons_per_second"}, *isochrons);
    figures.add({name.what, name.by, name.at, "writes_per_second"}, *isochrons * writes);
}

}  // namespace

void measure_writes(MemoryPair& pair, unsigned writes, Copies copies, double seconds, Figures& figures) {
    runtime::Histogram took;
    Rate executed;
    const auto measure = [&](runtime::Idler& idler) {
        Writer writer(pair.a(), writes, copies);
        const Course course(Plan{.seconds = seconds});
        for (std::uint64_t now = rte_rdtsc(); course.goes_on(now, executed.slices()); now = rte_rdtsc()) {
            writer.round(course.counts(now) ? &took : nullptr);
            if (course.counts(now)) executed.note(now, pair.a().memory().executed());
            idler.step(false);
        }
        return true;
    };
    pair.run(measure, [&](runtime::Idler& idler) {
        pair.b().poll();
        idler.step(false);
    });
    const FigureName name{"write", copies == Copies::kMixed ? "mixed" : "remote", writes, {}};
    add_rate(figures, name, writes, executed);
    if (took.count() == 0) return;
    const double reading = cost_of_reading();
    for (const auto& [figure, fraction] : {std::pair{"issue_ns_p50", 0.5}, std::pair{"issue_ns_p99", 0.99}})
        figures.add({name.what, name.by, name.at, figure},
                    ns_of(std::max(0.0, static_cast<double>(took.quantile(fraction)) - reading)));
}

void measure_load(MemoryPair& pair, unsigned writes, double seconds, Figures& figures) {
    runtime::Histogram between;  // tokens
    Rate tokens;
    Rate executed;
    Writer other(pair.b(), writes, Copies::kMixed);
    const auto measure = [&](runtime::Idler& idler) {
        Writer writer(pair.a(), writes, Copies::kMixed);
        const Course course(Plan{.seconds = seconds});
        siu::Pulse clock = pair.a().clock();
        std::uint64_t last = 0;
        for (std::uint64_t now = rte_rdtsc(); course.goes_on(now, executed.slices()); now = rte_rdtsc()) {
            writer.round();
            idler.step(false);
            if (!course.counts(now)) continue;
            executed.note(now, pair.a().memory().executed());
            tokens.note(now, pair.a().clock());
            if (pair.a().clock() == clock) continue;
            if (last != 0) between.record((now - last) / (pair.a().clock() - clock));
            last = now;
            clock = pair.a().clock();
        }
        return true;
    };
    pair.run(measure, [&](runtime::Idler& idler) {
        other.round();
        idler.step(false);
    });
    add_rate(figures, {"load", "mixed", writes, {}}, writes, executed);
    if (const auto rate = tokens.per_second())
        figures.add({"load", "mixed", writes, "tokens_per_second"}, *rate);
    for (const auto& [figure, fraction] : {std::pair{"token_ns_p50", 0.5}, std::pair{"token_ns_p99", 0.99}}) {
        if (between.count() != 0)
            figures.add({"load", "mixed", writes, figure},
                        ns_of(static_cast<double>(between.quantile(fraction))));
    }
}

}  // namespace isoplane::perf
