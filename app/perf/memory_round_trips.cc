// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "memory_round_trips.hh"

#include <isoplane/wire/access.hh>

#include "isotach_end.hh"

namespace isoplane::perf {

Contestants round_trips(Workers& workers, Sides& sides, const std::optional<KernelPath>& kernel) {
    Contestants all;
    all.push_back(contest_of_frames<Content::kCopied>(transport::kRaw, workers, sides));
    all.push_back(contest("isotach", workers, [&](unsigned end) {
        niu::Options options = options_of(sides[end], end, TwoHosts::nodes());
        options.manages = end == 0;
        link::Link& link = *sides[end].link;
        return std::make_unique<IsotachEnd>(link.input(), link.output(), *sides[end].pool, std::move(options),
                                            siu::SiuOptions{});
    }));
    if (kernel) {
        all.push_back(contest<UdpEnd>(transport::kUdp, workers, kernel->udp()));
        all.push_back(contest<TcpEnd>(transport::kTcp, workers, kernel->tcp()));
    }
    return all;
}

void measure_round_trips(const Contestants& all, double seconds, Figures& figures) {
    constexpr std::size_t kSize = wire::access_size(wire::AccessCode::kRead, 1);
    for (const auto& contestant : all) {
        const Sample sample = contestant->measure(kSize, Plan{.seconds = seconds});
        if (sample.round_trip.ticks)
            add_times(figures, {"round_trip", contestant->name(), 0, {}}, *sample.round_trip.ticks);
    }
}

}  // namespace isoplane::perf
