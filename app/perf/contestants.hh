// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Who takes turns in a comparison on a pair of links.
#pragma once

#include <algorithm>
#include <isoplane/runtime/stop_signal.hh>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "benchmark.hh"
#include "bound.hh"
#include "contest.hh"
#include "ends.hh"
#include "options.hh"
#include "plots.hh"
#include "sockets.hh"
#include "tables.hh"

namespace isoplane::perf {

/// In the order in which they take turns.
using Contestants = std::vector<std::unique_ptr<Contestant>>;

/// `make` makes end 0, and then end 1.
template <typename Make>
std::unique_ptr<Contestant> contest(const std::string& name, Workers& workers, Make&& make) {
    using End = typename decltype(make(0U))::element_type;
    auto [a, b] = workers.make_both(make);
    return std::make_unique<Contest<End>>(name, workers, std::move(a), std::move(b));
}

template <Transport End>
std::unique_ptr<Contestant> contest(const std::string& name, Workers& workers, Sockets sockets) {
    auto [a, b] = workers.make_both([&](unsigned side) {
        return std::make_unique<End>(std::move(side == 0 ? sockets.first : sockets.second));
    });
    return std::make_unique<Contest<End>>(name, workers, std::move(a), std::move(b));
}

template <Content content>
std::unique_ptr<Contestant> contest_of_frames(const std::string& name, Workers& workers, Sides& sides) {
    return contest(name, workers, [&](unsigned end) {
        link::Link& link = *sides[end].link;
        return make_raw<content>(sides, end, link.input(), link.output());
    });
}

inline std::unique_ptr<Contestant> contest_of_nius(const std::string& name, Workers& workers, Sides& sides,
                                                   const NiuSetup& setup) {
    return contest(name, workers, [&](unsigned end) {
        link::Link& link = *sides[end].link;
        return make_niu(sides, end, link.input(), link.output(), setup);
    });
}

/// Of each at each size, once. Throws when a signal asks for the end.
inline void measure_round(Results& results, const Contestants& all, const Options& options,
                          const runtime::StopSignal& signal) {
    for (const auto& contestant : all)
        if (std::ranges::any_of(options.sizes, [&](std::size_t size) { return contestant->carries(size); }))
            results.enter(contestant->name());
    for (const std::size_t size : options.sizes) {
        for (const auto& contestant : all) {
            if (!contestant->carries(size)) continue;
            if (signal.raised()) throw std::runtime_error("interrupted before the end; nothing is reported");
            results.add(contestant->name(), size, contestant->measure(size, options.plan));
        }
    }
}

/// What a comparison takes place on.
struct Arena {
    const PairOptions& options;
    Workers& workers;
    Sides& sides;
    const std::optional<KernelPath>& kernel;
    const runtime::StopSignal& signal;
};

/// What is of interest in a comparison, and whom it is held against.
struct Interest {
    std::vector<std::string> subjects;
    Bases bases;
    std::string limit;  ///< the transport that shows what the link carries
};

/// What every comparison has to say of its transports.
inline void add_results(report::Record& record, const Results& results, const Interest& interest,
                        const std::vector<double>& percentiles) {
    results.add_to(record.figures, "message", interest.subjects);
    record.tables = message_tables(results, interest.subjects, interest.bases, percentiles);
    record.plots = message_plots(results);
    record.bounds = bounds_of(results, interest.limit);
    record.details["results"] = results_json(results, interest.subjects, percentiles);
}

/// Runs a benchmark that compares transports: `measure(arena, record)` fills in what it measures.
template <typename Measure>
report::Record compare(const PairOptions& options, Measure&& measure) {
    const runtime::StopSignal signal;
    const PairOfSpecs pair(options.link);
    const runtime::Eal eal(eal_options(options, pair));
    Workers workers(idle_policy(options));
    Sides sides(pair.specs(), options.mtu);
    std::optional<KernelPath> kernel;
    if (options.kernel) kernel.emplace(options.mtu);

    report::Record record{.setup = setup_of(options, pair),
                          .environment = environment_of(options, pair),
                          .details = details_of(options, pair)};
    if (options.plan.window > 0)
        record.setup += ", at most " + std::to_string(options.plan.window) + " messages under way";
    if (options.frames.udp) record.setup += "; frames of the NIU in UDP";
    if (options.frames.trust_fcs) record.setup += "; without its checksum over payloads";
    const auto& key = options.frames.key;
    if (key) record.setup += "; authenticated by " + std::string(auth::name(key->algorithm));
    record.setup += kernel ? "; sockets over " + kernel->name() + "." : ".";
    record.details["encapsulation"] = options.frames.udp ? "udp" : "ethernet";
    record.details["trust_fcs"] = options.frames.trust_fcs;
    record.details["authenticated_by"] =
        key ? nlohmann::json(auth::name(key->algorithm)) : nlohmann::json(nullptr);
    record.details["kernel"] = kernel ? nlohmann::json(kernel->name()) : nlohmann::json(nullptr);
    measure(Arena{options, workers, sides, kernel, signal}, record);
    record.failures = sides.close();
    return record;
}

}  // namespace isoplane::perf
