// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "channel.hh"

#include <isoplane/fabric/impairment.hh>
#include <isoplane/wire/channel.hh>
#include <isoplane/wire/ethernet.hh>

#include "channel_end.hh"
#include "channel_report.hh"
#include "contestants.hh"
#include "paced.hh"

namespace isoplane::perf {

namespace {

using channel::Mode;

constexpr Defaults kDefaults{.sizes = "8,64,256,512,1K,1400"};
constexpr std::size_t kAlways = SIZE_MAX;
const std::size_t kDefault = channel::Options{}.copy_below;

struct ChannelOptions : PairOptions {
    std::string wire;  ///< bits a second, as its user has given it
};

std::unique_ptr<ChannelEnd> make_end(Sides& sides, unsigned end, runtime::Output& to, const FrameForm& frames,
                                     Mode mode, std::size_t copy_below) {
    return std::make_unique<ChannelEnd>(sides[end].link->input(), to, *sides[end].pool,
                                        pair_options(sides, end, frames), mode,
                                        channel::Options{.copy_below = copy_below});
}

Contestants contestants(Workers& workers, Sides& sides, const FrameForm& frames,
                        const std::optional<KernelPath>& kernel) {
    const auto channel = [&](const std::string& name, Mode mode, std::size_t copy_below) {
        return contest(name, workers, [&](unsigned end) {
            return make_end(sides, end, sides[end].link->output(), frames, mode, copy_below);
        });
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
    std::array<std::unique_ptr<PacedOutput>, 2> wires;  ///< in front of the links, if these are to be slower
    Contestants all;
    const ChannelEnd* of_datagrams = nullptr;
};

Relays make_relays(Workers& workers, Sides& sides, const FrameForm& frames,
                   std::optional<double> bits_per_second = {}) {
    Relays relays;
    const auto output = [&](unsigned end) -> runtime::Output& {
        runtime::Output& link = sides[end].link->output();
        if (!bits_per_second) return link;
        std::unique_ptr<PacedOutput>& wire = relays.wires[end];
        if (!wire) wire = std::make_unique<PacedOutput>(link, *bits_per_second);
        return *wire;
    };
    const auto raw = [&](unsigned end) {
        return make_raw<Content::kCopied>(sides, end, sides[end].link->input(), output(end));
    };
    auto [there, back] = workers.make_both(raw);
    relays.all.push_back(std::make_unique<Relay<Raw<Content::kCopied>>>(relay::kForward, workers,
                                                                        std::move(there), std::move(back)));
    for (const Mode mode : {Mode::kDatagram, Mode::kReliable}) {
        auto [a, b] = workers.make_both(
            [&](unsigned end) { return make_end(sides, end, output(end), frames, mode, kDefault); });
        const bool datagrams = mode == Mode::kDatagram;
        if (datagrams) relays.of_datagrams = b.get();
        relays.all.push_back(std::make_unique<Relay<ChannelEnd>>(
            datagrams ? relay::kDatagram : relay::kReliable, workers, std::move(a), std::move(b)));
    }
    return relays;
}

/// Throws with a sentence.
double bits_per_second(const std::string& wire) {
    const std::uint64_t rate = fabric::parse_impairment("rate=" + wire).rate;
    if (rate == 0) throw std::invalid_argument("--wire " + wire + ": a wire carries something, as 10Gbit");
    return static_cast<double>(rate);
}

/// A message has to fit a frame.
ChannelOptions read_channel(const po::variables_map& values) {
    ChannelOptions options{read_pair(values, kDefaults)};
    options.wire = values["wire"].as<std::string>();
    bits_per_second(options.wire);
    const std::size_t in_udp = options.frames.udp ? wire::kUdpEnvelopeSize - wire::kEthernetSize : 0;
    check_fits(options, in_udp + wire::kChannelHeaderSize, "a message to a channel");
    return options;
}

void measure_all(const Arena& arena, const ChannelOptions& options, report::Record& record) {
    const Contestants all = contestants(arena.workers, arena.sides, options.frames, arena.kernel);
    const Relays relays = make_relays(arena.workers, arena.sides, options.frames);
    const Relays on_wire =
        make_relays(arena.workers, arena.sides, options.frames, bits_per_second(options.wire));
    Results results;
    Results relayed;
    Results relayed_on_wire;
    for (unsigned round = 0; round < options.rounds; ++round) {
        measure_round(results, all, options, arena.signal);
        measure_round(relayed, relays.all, options, arena.signal);
        measure_round(relayed_on_wire, on_wire.all, options, arena.signal);
    }
    const std::string& niu = transport::kNiuCoalesced;
    add_results(
        record, results,
        {.subjects = {transport::kDatagram, transport::kReliable, transport::kCopied, transport::kCopyFree},
         .bases = {.round_trip = niu, .rate = niu, .bandwidth = niu},
         .limit = transport::kRaw},
        options.percentiles);
    add_to(record, relayed, relays.of_datagrams->share_sent_on_as_is());
    add_to(record, relayed_on_wire, options.wire);
}

void describe(po::options_description& options) {
    describe_pair(options, kDefaults);
    options.add_options()  //
        ("wire", po::value<std::string>()->value_name("RATE")->default_value("10Gbit"),
         "what the wire carries on which messages are sent back once more, in bits a second");
}

constexpr Benchmark<ChannelOptions> kBenchmark{
    kChannel,
    "Measures channels between two links, there and back and in a stream, beside the NIU under them,\n"
    "frames alone on the same links and UDP and TCP sockets of the kernel, all in turns on the same two\n"
    "CPUs. Then how many messages a node sends back in the buffers in which they come, beside one that\n"
    "sends frames back as they are; as fast as the link goes, and on one that is no faster than a wire.\n\n"
    "  raw        messages copied into frames and out of them, and nothing else\n"
    "  niu        the NIU, small messages share frames\n"
    "  datagram   as programs have them: below 640 bytes copied into shared frames, above copy-free\n"
    "  reliable   the same, sent reliably\n"
    "  copied     datagrams, all of them copied\n"
    "  copy_free  datagrams, none of them copied that is larger than 248 bytes\n"
    "  udp, tcp   non-blocking sockets, 32 messages a call; over a veth pair where the user may make\n"
    "             one, otherwise over loopback\n",
    describe, read_channel, [](const ChannelOptions& options) {
        return compare(options, [&options](const Arena& arena, report::Record& record) {
            measure_all(arena, options, record);
        });
    }};

}  // namespace

int run_channel(int argc, char** argv) {
    return run_benchmark(kBenchmark, argc, argv);
}

}  // namespace isoplane::perf
