// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "portals.hh"

#include "contestants.hh"
#include "portals_report.hh"

namespace isoplane::perf {

namespace {

constexpr Defaults kDefaults{
    .sizes = "0,8,64,256,1K,2K,4K,8K,16K,64K,256K,1M,4M", .quick_sizes = "0,64,1K", .least_size = 0};

std::unique_ptr<PortalsEnd> make_end(Sides& sides, unsigned end, const FrameForm& frames) {
    link::Link& link = *sides[end].link;
    return std::make_unique<PortalsEnd>(link.input(), link.output(), *sides[end].pool,
                                        pair_options(sides, end, frames));
}

Contestants contestants(Workers& workers, Sides& sides, const FrameForm& frames,
                        const std::optional<KernelPath>& kernel) {
    Contestants all;
    all.push_back(contest_of_frames<Content::kCopied>(transport::kRaw, workers, sides));
    all.push_back(
        contest_of_nius(transport::kNiuCoalesced, workers, sides, {.frames = frames, .coalesce = true}));
    all.push_back(
        contest(transport::kPortals, workers, [&](unsigned end) { return make_end(sides, end, frames); }));
    if (kernel) {
        all.push_back(contest<UdpEnd>(transport::kUdp, workers, kernel->udp()));
        all.push_back(contest<TcpEnd>(transport::kTcp, workers, kernel->tcp()));
    }
    return all;
}

Overlap overlap(Workers& workers, Sides& sides, const FrameForm& frames, double seconds) {
    const auto [from, to] = workers.make_both([&](unsigned end) { return make_end(sides, end, frames); });
    return measure_overlap(workers, *from, *to, seconds);
}

void measure_all(const Arena& arena, report::Record& record) {
    const PairOptions& options = arena.options;
    const Contestants all = contestants(arena.workers, arena.sides, options.frames, arena.kernel);
    PortalsFindings found;
    for (unsigned round = 0; round < options.rounds; ++round) {
        measure_round(found.results, all, options, arena.signal);
        found.overlaps.push_back(overlap(arena.workers, arena.sides, options.frames, options.duration));
    }
    constexpr std::size_t kCopied = std::size_t{1} << 20;
    found.copy = measure_copy(kCopied, options.duration);
    found.matching = measure_matching();
    const std::string& niu = transport::kNiuCoalesced;
    add_results(record, found.results,
                {.subjects = {transport::kPortals},
                 .bases = {.round_trip = niu, .rate = niu, .bandwidth = niu},
                 .limit = transport::kRaw},
                options.percentiles);
    add_to(record, found);
}

constexpr Benchmark<PairOptions> kBenchmark{
    kPortals,
    "Measures Portals between two links: puts, there and back and in a stream, beside the NIU under\n"
    "them, frames alone on the same links and UDP and TCP sockets of the kernel, all in turns on the\n"
    "same two CPUs. Then what it takes to match a message, and how much of a CPU is left to a program while "
    "an\n"
    "lcore receives for it.\n\n"
    "  raw      messages copied into frames and out of them, and nothing else\n"
    "  niu      the NIU, small messages share frames\n"
    "  portals  puts into the same memory over and over, an event for each; of 0 bytes, too\n"
    "  udp, tcp non-blocking sockets, 32 messages a call; over a veth pair where the user may make one,\n"
    "           otherwise over loopback\n",
    [](po::options_description& options) { describe_pair(options, kDefaults); },
    [](const po::variables_map& values) { return read_pair(values, kDefaults); },
    [](const PairOptions& options) { return compare(options, measure_all); }};

}  // namespace

int run_portals(int argc, char** argv) {
    return run_benchmark(kBenchmark, argc, argv);
}

}  // namespace isoplane::perf
