// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "channel_host.hh"
#include "niu_summary.hh"
#include "seeds.hh"
#include "star.hh"

namespace isoplane::test {

namespace {

constexpr niu::NodeId kHosts = 4;

struct Totals : Summary {
    std::array<std::uint64_t, kUses> received{};
    std::uint64_t dropped = 0;
    std::uint64_t as_is = 0;
    std::uint64_t copied = 0;
};

channel::Options some_channels(Random& random, const channel::Planted& planted) {
    channel::Options options{.channels = kUses,
                             .slots = static_cast<unsigned>(1 + random.below(8)),
                             .held = static_cast<unsigned>(kHosts + random.below(16)),
                             .send_buffers = static_cast<unsigned>(2 + random.below(16))};
    options.planted = planted;
    return options;
}

/// Nothing is under way any more, as far as counts can tell; which they do exactly, but of datagrams between
/// hosts that have given each other up.
bool all_settled(const std::vector<std::unique_ptr<ChannelHost>>& hosts) {
    std::uint64_t datagrams = 0;
    bool apart = false;
    for (niu::NodeId from = 0; from < hosts.size(); ++from) {
        if (!hosts[from]->has_sent_all()) return false;
        datagrams += hosts[from]->sent()[kLossy] - hosts[from]->received()[kLossy] - hosts[from]->dropped();
        for (niu::NodeId to = 0; to < hosts.size(); ++to) {
            const bool pair_is_apart = hosts[from]->has_given_up(to) || hosts[to]->has_given_up(from);
            apart = apart || pair_is_apart;
            for (const ChannelUse use : {kSafe, kToRelay, kRelayed})
                if (!pair_is_apart && hosts[from]->sent_to(to, use) != hosts[to]->received_from(from, use))
                    return false;
        }
    }
    return apart || datagrams == 0;
}

/// What is wrong with what has been received in the end.
std::string verdict(const std::vector<std::unique_ptr<ChannelHost>>& hosts, bool parts) {
    for (niu::NodeId from = 0; from < hosts.size(); ++from) {
        for (niu::NodeId to = 0; to < hosts.size(); ++to) {
            if (hosts[from]->has_given_up(to) && !parts) return "one that lives was given up";
            for (const ChannelUse use : {kSafe, kToRelay, kRelayed})
                if (hosts[from]->sent_to(to, use) < hosts[to]->received_from(from, use))
                    return "something came that was not sent";
        }
    }
    return {};
}

/// Runs one seed. Says what went wrong; nothing when all was well.
std::string run(std::uint64_t seed, Totals& totals, const channel::Planted& planted = {}) {
    Random random(seed, 1);
    const Climate climate = Climate::of(seed, 5ms);
    ChannelPlan plan{.seed = seed,
                     .hosts = kHosts,
                     .messages = static_cast<std::uint32_t>(10 + random.below(60)),
                     .channels = some_channels(random, planted)};
    plan.niu = {.nodes = {"a", "b", "c", "d"},
                .mtu = static_cast<std::uint16_t>(300 + random.below(1500)),
                .in_process = random.below(2) == 0,
                .window = 4U << random.below(5),
                .coalesce = random.below(4) != 0,
                .timeout = {.initial = 1ms, .least = 100us, .most = 5ms},
                .silence = climate.silence,
                .hello_every = 200us,
                .hello_limit = kHelloLimit};
    sim::World world(seed, pool(), {.idle = 20us});
    Star<ChannelHost> star(world, seed, climate, kHosts, [&](niu::NodeId node, const sim::Link::End& end) {
        return std::make_unique<ChannelHost>(node, end, plan);
    });
    const auto& hosts = star.hosts;
    std::string complaint;
    const bool over = world.run_until(
        [&] {
            for (const auto& host : hosts)
                if (complaint.empty()) complaint = host->complaint();
            return !complaint.empty() || all_settled(hosts);
        },
        1s);
    if (complaint.empty()) complaint = over ? verdict(hosts, climate.parts()) : "messages are missing";
    const std::uint64_t given_up = totals.given_up;
    for (const auto& host : hosts) {
        for (unsigned use = 0; use < kUses; ++use)
            totals.received[use] += host->received()[use];
        totals.dropped += host->dropped();
        totals.as_is += host->channels().counters().sent_as_is.get();
        totals.copied += host->channels().counters().copied_bytes.get();
        add_niu(totals, host->niu().counters());
    }
    ++totals.seeds;
    totals.parted += totals.given_up != given_up ? 1 : 0;
    star.weather->add_to(totals);
    for (const auto& host : hosts)
        host->die();
    world.drain();
    return complaint;
}

/// The first of some seeds at which that defect is found, where all is well without it; 0 when none is.
std::uint64_t found_at(const channel::Planted& planted) {
    constexpr std::uint64_t kEnough = 50;
    Totals ignored;
    for (std::uint64_t seed = 1; seed <= kEnough; ++seed) {
        if (run(seed, ignored, planted).empty()) continue;
        EXPECT_EQ(run(seed, ignored), "");
        EXPECT_EQ(pool().in_use(), 0U);
        return seed;
    }
    return 0;
}

}  // namespace

TEST(ChannelSim, reliable_messages_all_arrive_and_datagrams_arrive_or_are_counted_under_any_fault) {
    constexpr std::uint64_t kSeeds = 250;
    Totals all;
    for_each_seed(kSeeds, [&](std::uint64_t seed) {
        EXPECT_EQ(run(seed, all), "");
        EXPECT_EQ(pool().in_use(), 0U);
    });
    std::cout << all << all.received[kLossy] << " datagrams received and " << all.dropped << " dropped, "
              << all.received[kSafe] << " reliable messages, " << all.received[kRelayed] << " relayed; "
              << all.as_is << " sent as they are, " << all.copied << " bytes copied\n";
    if (all.seeds < kSeeds) return;
    EXPECT_GT(all.dropped, 500U);
    EXPECT_GT(all.received[kLossy], 3000U);
    EXPECT_GT(all.received[kSafe], 3000U);
    EXPECT_GT(all.received[kRelayed], 2000U);
    EXPECT_GT(all.as_is, 3000U);
    expect_all_weather(all, kSeeds);
}

TEST(ChannelSim, finds_a_buffer_that_is_said_to_be_idle_too_soon) {
    EXPECT_NE(found_at({.always_idle = true}), 0U);
}

TEST(ChannelSim, finds_a_drop_that_is_not_counted) {
    EXPECT_NE(found_at({.forget_drops = true}), 0U);
}

TEST(ChannelSim, finds_a_reliable_message_without_credit) {
    EXPECT_NE(found_at({.ignore_credit = true}), 0U);
}

TEST(ChannelSim, finds_credit_that_is_kept) {
    EXPECT_NE(found_at({.keep_credit = true}), 0U);
}

TEST(ChannelSim, finds_a_packet_that_is_sent_on_while_others_read_it) {
    EXPECT_NE(found_at({.overwrite_shared = true}), 0U);
}

}  // namespace isoplane::test
