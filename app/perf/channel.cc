// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "channel.hh"

#include <isoplane/wire/channel.hh>
#include <isoplane/wire/ethernet.hh>

#include "channel_end.hh"
#include "channel_report.hh"
#include "contestants.hh"

namespace isoplane::perf {

namespace {

using channel::Mode;

constexpr Defaults kDefaults{.sizes = "8,64,256,512,1K,1400"};
constexpr std::size_t kAlways = SIZE_MAX;
const std::size_t kDefault = channel::Options{}.copy_below;

std::unique_ptr<ChannelEnd> make_end(Sides& sides, unsigned end, const FrameForm& frames, Mode mode,
                                     std::size_t copy_below) {
    link::Link& link = *sides[end].link;
    return std::make_unique<ChannelEnd>(link.input(), link.output(), *sides[end].pool,
                                        pair_options(sides, end, frames), mode,
                                        channel::Options{.copy_below = copy_below});
}

Contestants contestants(Workers& workers, Sides& sides, const FrameForm& frames,
                        const std::optional<KernelPath>& kernel) {
    const auto channel = [&](const std::string& name, Mode mode, std::size_t copy_below) {
        return contest(name, workers,
                       [&](unsigned end) { return make_end(sides, end, frames, mode, copy_below); });
    };
    Contestants all;
    all.push_back(contest_of_frames<Content::kCopied>(transport::kRaw, workers, sides));
    all.push_back(
        contest_of_nius(transport::kNiuCoalesced, workers, sides, {.frames = frames, .coalesce = true}));
    all.push_back(channel(transport::kDatagram, Mode::kDatagram, kDefault));
    all.push_back(channel(transport::kReliable, Mode::kReliable, kDefault));
    all.push_back(channel(transport::kCopied, Mode::kDatagram, kAlways));
    all.push_back(channel(transport::kCopyFree, Mode::kDatagram, 0));
    if (kernel) {
        all.push_back(contest<UdpEnd>(transport::kUdp, workers, kernel->udp()));
        all.push_back(contest<TcpEnd>(transport::kTcp, workers, kernel->tcp()));
    }
    return all;
}

/// What sends back what comes, and beside it how datagrams fare there.
struct Relays {
    Contestants all;
    const ChannelEnd* of_datagrams = nullptr;
};

Relays make_relays(Workers& workers, Sides& sides, const FrameForm& frames) {
    Relays relays;
    const auto raw = [&](unsigned end) {
        link::Link& link = *sides[end].link;
        return make_raw<Content::kCopied>(sides, end, link.input(), link.output());
    };
    auto [there, back] = workers.make_both(raw);
    relays.all.push_back(std::make_unique<Relay<Raw<Content::kCopied>>>(relay::kForward, workers,
                                                                        std::move(there), std::move(back)));
    for (const Mode mode : {Mode::kDatagram, Mode::kReliable}) {
        auto [a, b] =
            workers.make_both([&](unsigned end) { return make_end(sides, end, frames, mode, kDefault); });
        const bool datagrams = mode == Mode::kDatagram;
        if (datagrams) relays.of_datagrams = b.get();
        relays.all.push_back(std::make_unique<Relay<ChannelEnd>>(
            datagrams ? relay::kDatagram : relay::kReliable, workers, std::move(a), std::move(b)));
    }
    return relays;
}

/// A message has to fit a frame.
PairOptions read_channel(const po::variables_map& values) {
    PairOptions options = read_pair(values, kDefaults);
    const std::size_t in_udp = options.frames.udp ? wire::kUdpEnvelopeSize - wire::kEthernetSize : 0;
    check_fits(options, in_udp + wire::kChannelHeaderSize, "a message to a channel");
    return options;
}

void measure_all(const Arena& arena, report::Record& record) {
    const PairOptions& options = arena.options;
    const Contestants all = contestants(arena.workers, arena.sides, options.frames, arena.kernel);
    const Relays relays = make_relays(arena.workers, arena.sides, options.frames);
    Results results;
    Results relayed;
    for (unsigned round = 0; round < options.rounds; ++round) {
        measure_round(results, all, options, arena.signal);
        measure_round(relayed, relays.all, options, arena.signal);
    }
    const std::string& niu = transport::kNiuCoalesced;
    add_results(
        record, results,
        {.subjects = {transport::kDatagram, transport::kReliable, transport::kCopied, transport::kCopyFree},
         .bases = {.round_trip = niu, .rate = niu, .bandwidth = niu},
         .limit = transport::kRaw},
        options.percentiles);
    add_to(record, relayed, relays.of_datagrams->share_sent_on_as_is());
}

constexpr Benchmark<PairOptions> kBenchmark{
    kChannel,
    "Measures channels between two links, there and back and in a stream, beside the NIU under them,\n"
    "frames alone on the same links and UDP and TCP sockets of the kernel, all in turns on the same two\n"
    "CPUs. Then how many messages a node sends back in the buffers in which they come, beside one that\n"
    "sends frames back as they are.\n\n"
    "  raw        messages copied into frames and out of them, and nothing else\n"
    "  niu        the NIU, small messages share frames\n"
    "  datagram   as programs have them: below 640 bytes copied into shared frames, above copy-free\n"
    "  reliable   the same, sent reliably\n"
    "  copied     datagrams, all of them copied\n"
    "  copy_free  datagrams, none of them copied that is larger than 248 bytes\n"
    "  udp, tcp   non-blocking sockets, 32 messages a call; over a veth pair where the user may make\n"
    "             one, otherwise over loopback\n",
    [](po::options_description& options) { describe_pair(options, kDefaults); }, read_channel,
    [](const PairOptions& options) { return compare(options, measure_all); }};

}  // namespace

int run_channel(int argc, char** argv) {
    return run_benchmark(kBenchmark, argc, argv);
}

}  // namespace isoplane::perf
