// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "channel.hh"

#include "channel_end.hh"
#include "channel_report.hh"
#include "contestants.hh"

namespace isoplane::perf {

namespace {

using channel::Mode;

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
    relays.all.push_back(
        std::make_unique<Relay<Raw<Content::kCopied>>>(relay::kForward, workers, raw(0), raw(1)));
    for (const auto& [name, mode] :
         {std::pair{relay::kDatagram, Mode::kDatagram}, std::pair{relay::kReliable, Mode::kReliable}}) {
        auto a = make_end(sides, 0, frames, mode, kDefault);
        auto b = make_end(sides, 1, frames, mode, kDefault);
        if (mode == Mode::kDatagram) relays.of_datagrams = b.get();
        relays.all.push_back(std::make_unique<Relay<ChannelEnd>>(name, workers, std::move(a), std::move(b)));
    }
    return relays;
}

void measure(ChannelReport& report, Workers& workers, Sides& sides, const std::optional<KernelPath>& kernel,
             const runtime::StopSignal& signal) {
    const PairOptions& options = report.options;
    const Contestants all = contestants(workers, sides, options.frames, kernel);
    const Relays relays = make_relays(workers, sides, options.frames);
    for (unsigned round = 0; round < options.rounds; ++round) {
        measure_round(report.results, all, options, signal);
        measure_round(report.relays, relays.all, options, signal);
    }
    report.as_is = relays.of_datagrams->share_sent_on_as_is();
    report.targets = channel_targets(report);
}

int run_with(const PairOptions& options) {
    return compare<ChannelReport>("perf channel", options, measure);
}

}  // namespace

int run_channel(int argc, char** argv) {
    return run_benchmark("perf channel", parse_channel_options(argc, argv), run_with);
}

}  // namespace isoplane::perf
