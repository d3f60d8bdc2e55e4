// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "pair.hh"

#include <algorithm>
#include <memory>
#include <optional>

#include "breakdown.hh"
#include "contestants.hh"

namespace isoplane::perf {

namespace {

constexpr Defaults kDefaults{.sizes = "8,64,256,1K,4K,8K,64K,1M"};

Contestants contestants(Workers& workers, Sides& sides, const FrameForm& frames,
                        const std::optional<KernelPath>& kernel) {
    Contestants all;
    all.push_back(contest_of_frames<Content::kUntouched>(transport::kIo, workers, sides));
    all.push_back(contest_of_frames<Content::kCopied>(transport::kRaw, workers, sides));
    for (const bool coalesce : {false, true}) {
        all.push_back(contest_of_nius(coalesce ? transport::kNiuCoalesced : transport::kNiu, workers, sides,
                                      {.frames = frames, .coalesce = coalesce}));
    }
    if (kernel) {
        all.push_back(contest<UdpEnd>(transport::kUdp, workers, kernel->udp()));
        all.push_back(contest<TcpEnd>(transport::kTcp, workers, kernel->tcp()));
    }
    return all;
}

/// The least favourable of the ratios there are.
void worsen(std::optional<double>& worst, std::optional<double> ratio) {
    if (ratio && (!worst || *ratio < *worst)) worst = ratio;
}

/// How many times as fast as the faster of the two kinds of sockets the NIU is, in the case in which it is
/// least. As users get it, that is with coalescing: TCP's small messages share segments, too. Without, the
/// NIU is there to tell what a frame costs.
Target faster_than_kernel(const Results& results) {
    Target target{.sentence = "every size faster than UDP and TCP over veth", .limit = 1.0};
    for (const std::size_t size : results.sizes()) {
        for (const std::string& kernel : {transport::kUdp, transport::kTcp}) {
            worsen(target.value, results.round_trip_ratio(kernel, transport::kNiuCoalesced, size));
            worsen(target.value, results.rate_ratio(transport::kNiuCoalesced, kernel, size));
        }
    }
    return target;
}

std::vector<Target> targets_of(const Results& results, bool against_veth) {
    using namespace transport;
    std::vector<Target> all{
        {.sentence = "64-byte round trip at most 1.5 times raw",
         .limit = 1.5,
         .at_most = true,
         .value = results.round_trip_ratio(kNiu, kRaw, 64)},
        {.sentence = "64-byte rate without coalescing at least 0.5 of io",
         .limit = 0.5,
         .value = results.rate_ratio(kNiu, kIo, 64)},
        {.sentence = "64-byte rate with coalescing at least 1.0 of io",
         .limit = 1.0,
         .value = results.rate_ratio(kNiuCoalesced, kIo, 64)},
        {.sentence = "8192-byte stream at least 0.85 of raw",
         .limit = 0.85,
         .value = results.rate_ratio(kNiuCoalesced, kRaw, 8192)},
    };
    if (against_veth) all.push_back(faster_than_kernel(results));
    return all;
}

void measure_all(const Arena& arena, report::Record& record) {
    const PairOptions& options = arena.options;
    const Contestants all = contestants(arena.workers, arena.sides, options.frames, arena.kernel);
    Results results;
    for (unsigned round = 0; round < options.rounds; ++round)
        measure_round(results, all, options, arena.signal);
    const std::vector<Costs> costs = break_down(arena.workers, arena.sides, options.frames);
    add_results(
        record, results,
        {.subjects = {transport::kNiu, transport::kNiuCoalesced},
         .bases = {.round_trip = transport::kRaw, .rate = transport::kIo, .bandwidth = transport::kRaw},
         .limit = transport::kIo},
        options.percentiles);
    const std::string title = "Cycles of a message of " + std::to_string(kBreakdownSize) +
                              " bytes, both sides in turn on one CPU, " + std::to_string(kBatch) +
                              " messages a poll";
    add_costs(record.figures, costs, kBreakdownSize);
    record.tables.push_back(costs_table(title, costs));
    record.plots.push_back(costs_plot("Where the cycles of a message of 64 bytes go", costs));
    record.details["breakdown"] = {
        {"bytes", kBreakdownSize}, {"messages_a_poll", kBatch}, {"costs", costs_json(costs)}};
    record.targets = targets_of(results, arena.kernel && arena.kernel->is_veth());
}

constexpr Benchmark<PairOptions> kBenchmark{
    kPair,
    "Measures round trips, message rate and bandwidth between two links, of the NIU with and\n"
    "without coalescing, beside frames alone on the same links and UDP and TCP sockets of the\n"
    "kernel, all in turns on the same two CPUs; then what a message costs, step by step.\n\n"
    "  io             frames that nobody reads or writes: what the link can carry\n"
    "  raw            messages copied into frames and out of them, and nothing else\n"
    "  niu            the NIU, a frame for each message\n"
    "  niu_coalesced  the NIU, small messages share frames\n"
    "  udp, tcp       non-blocking sockets, 32 messages a call; over a veth pair where the\n"
    "                 user may make one, otherwise over loopback\n",
    [](po::options_description& options) {
        describe_pair(options, kDefaults);
        options.add_options()("authenticate", po::value<std::string>()->value_name("ALGORITHM"),
                              "authenticate the NIU's frames: aes-gmac or chacha20-poly1305");
    },
    [](const po::variables_map& values) {
        PairOptions options = read_pair(values, kDefaults);
        if (values.count("authenticate") != 0)
            options.frames.key =
                auth::random_key(auth::parse_algorithm(values["authenticate"].as<std::string>()));
        return options;
    },
    [](const PairOptions& options) { return compare(options, measure_all); }};

}  // namespace

int run_pair(int argc, char** argv) {
    return run_benchmark(kBenchmark, argc, argv);
}

}  // namespace isoplane::perf
