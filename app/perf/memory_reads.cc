// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "memory_reads.hh"

#include <algorithm>

#include "ends.hh"

namespace isoplane::perf {

namespace {

using Word = shmem::Variable<std::uint32_t>;

const auto kPolls = [](MemoryHost& host) {
    return [&host](runtime::Idler& idler) {
        host.poll();
        idler.step(false);
    };
};

double at_fraction(std::vector<double>& values, double fraction) {
    const auto at =
        values.begin() + static_cast<std::ptrdiff_t>(fraction * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), at, values.end());
    return *at;
}

/// Of a remote read: the two hosts share a time stamp counter.
struct Stamps {
    std::uint64_t begin = 0;
    std::uint64_t issued = 0;
    std::uint64_t known = 0;
};

constexpr std::size_t kMostReads = 1 << 20;

/// When a read was issued is noted where its steps are wanted: to look at the counter takes its time, too.
enum class Noted : std::uint8_t { kWhole, kSteps };

/// One after the other, and calls `note(its times, whether they count)` for each.
template <Noted noted, typename Note>
void read_remotely(MemoryPair& pair, double seconds, Note&& note) {
    const auto measure = [&](runtime::Idler& idler) {
        MemoryHost& host = pair.a();
        shmem::Memory& memory = host.memory();
        shmem::Isochron isochron = memory.isochron();
        const Course course(Plan{.seconds = seconds});
        const auto poll = [&] { host.poll(); };
        Stamps stamps;
        stamps.begin = rte_rdtsc();
        std::uint32_t next = 0;
        for (; next < kMostReads && course.goes_on(stamps.begin, next); stamps.begin = stamps.known) {
            const shmem::Future<std::uint32_t> value = isochron.read(Word{host.others(next++)});
            if (!MemoryPair::poll_until(idler, poll, [&] { return memory.issue(isochron); })) return false;
            if constexpr (noted == Noted::kSteps) stamps.issued = rte_rdtsc();
            if (!MemoryPair::poll_until(idler, poll, [&] { return value.ready(); })) return false;
            stamps.known = rte_rdtsc();
            note(stamps, course.counts(stamps.begin));
        }
        return true;
    };
    pair.run(measure, kPolls(pair.b()));
}

}  // namespace

void measure_local_reads(MemoryPair& pair, double seconds, Figures& figures) {
    constexpr unsigned kSlice = 500;  // reads
    std::vector<double> cycles;       // of one, in each slice
    cycles.reserve(1 << 20);
    bool right = true;
    const auto measure = [&](runtime::Idler&) {
        MemoryHost& host = pair.a();
        shmem::Memory& memory = host.memory();
        shmem::Isochron isochron = memory.isochron();
        for (std::uint32_t i = 0; i < MemoryHost::kPageWords; ++i)
            isochron.write(Word{host.own(i)}, i);
        memory.issue(isochron);
        const Course course(Plan{.seconds = seconds});
        std::uint32_t next = 0;
        std::uint64_t now = rte_rdtsc();
        while (course.goes_on(now, cycles.size()) && cycles.size() < cycles.capacity()) {
            const std::uint64_t begin = rte_rdtsc();
            for (unsigned i = 0; i < kSlice; ++i, ++next) {
                const shmem::Future<std::uint32_t> value = isochron.read(Word{host.own(next)});
                memory.issue(isochron);
                right &= value.ready() && value.value() == next % MemoryHost::kPageWords;
            }
            now = rte_rdtsc();
            if (course.counts(begin)) cycles.push_back(static_cast<double>(now - begin) / kSlice);
            host.poll();
        }
        return true;
    };
    pair.run(measure, kPolls(pair.b()));
    if (!right) throw std::runtime_error("a read of a variable that is here has found another value");
    if (cycles.empty()) return;
    const double median = at_fraction(cycles, 0.5);
    figures.add({"read", "local", 0, "cycles_p50"}, median);
    figures.add({"read", "local", 0, "ns_p50"}, ns_of(median));
    figures.add({"read", "local", 0, "ns_p99"}, ns_of(at_fraction(cycles, 0.99)));
}

void measure_remote_reads(MemoryPair& pair, double seconds, Figures& figures) {
    runtime::Histogram all;
    read_remotely<Noted::kWhole>(pair, seconds / 2, [&](const Stamps& read, bool counts) {
        if (counts) all.record(read.known - read.begin);
    });
    add_times(figures, {"read", "remote", 0, {}}, all);
}

void measure_read_steps(MemoryPair& pair, double seconds, Figures& figures) {
    std::vector<Stamps> here;
    std::vector<Executed> there;
    here.reserve(kMostReads);
    there.reserve(kMostReads);
    std::size_t counts_from = 0;
    pair.b().note_reads(&there);
    read_remotely<Noted::kSteps>(pair, seconds / 2, [&](const Stamps& read, bool counts) {
        here.push_back(read);
        if (!counts) counts_from = here.size();
    });
    pair.b().note_reads(nullptr);
    if (there.size() != here.size())
        throw std::runtime_error(std::to_string(here.size()) + " reads were answered, but " +
                                 std::to_string(there.size()) + " executed");
    std::array<runtime::Histogram, kReadSteps.size()> steps;
    for (std::size_t i = counts_from; i < here.size(); ++i) {
        // Counters of two CPUs may be a few ticks apart.
        const std::array<std::uint64_t, kReadSteps.size() + 1> at{
            here[i].begin, here[i].issued, there[i].came, there[i].begin, there[i].end, here[i].known};
        for (std::size_t step = 0; step < steps.size(); ++step)
            steps[step].record(at[step + 1] - std::min(at[step], at[step + 1]));
    }
    for (std::size_t step = 0; step < steps.size(); ++step)
        add_times(figures, {"read_step", kReadSteps[step], 0, {}}, steps[step]);
}

}  // namespace isoplane::perf
