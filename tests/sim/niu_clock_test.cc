// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Clocks that leap ahead, as they do where a virtual machine or a process was stopped for a while.

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <isoplane/fabric/switch.hh>
#include <isoplane/sim/world.hh>
#include <memory>

#include "chance.hh"
#include "seeds.hh"
#include "talker.hh"

namespace isoplane::test::niu_clock {

using runtime::Time;

namespace {

constexpr unsigned kHosts = 3;
constexpr Duration kSilence = 50ms;

/// A host whose clock leaps now and then, by less and by much more than it takes to think others dead.
class Leaper final : public runtime::Stage {
  public:
    Leaper(unsigned node, sim::Link::End end, std::uint64_t seed, const Traffic& traffic)
        : Stage("leaper" + std::to_string(node)),
          random_(seed, 700 + node),
          niu_(name(), end.input, end.output, pool(),
               {.node = static_cast<niu::NodeId>(node),
                .nodes = {"a", "b", "c"},
                .mac = {2, 0, 0, 0, 0, static_cast<std::uint8_t>(node)},
                .silence = kSilence,
                .hello_every = 200us}),
          talker_(niu_, node, kHosts, seed, traffic) {
        takes_from(end.input);
        gives_to(end.output);
    }

    unsigned poll(Time now) override {
        if (now >= leap_at_) {
            if (leap_at_ != Time{})
                ahead_ += some(random_, random_.below(2) == 0 ? Duration{2ms} : 10 * kSilence);
            leap_at_ = now + 1ms + some(random_, 5ms);
        }
        return niu_.poll(now + ahead_) + talker_.poll(now + ahead_);
    }
    std::size_t discard() override { return niu_.discard(); }

    const niu::Niu& niu() const { return niu_; }
    Talker& talker() { return talker_; }
    Duration ahead() const { return ahead_; }

  private:
    Random random_;
    niu::Niu niu_;
    Talker talker_;
    Time leap_at_{};
    Duration ahead_{};
};

struct Leaps {
    std::uint64_t seeds = 0;
    Duration most{};
    std::uint64_t resent = 0;
};

std::string run(std::uint64_t seed, Leaps& leaps) {
    Random random(seed, 1);
    sim::World world(seed, pool(), {.idle = 20us});
    std::vector<fabric::Port> ports;
    std::vector<std::unique_ptr<Leaper>> hosts;
    const Traffic traffic = Traffic::of(random);
    for (unsigned i = 0; i < kHosts; ++i) {
        sim::Link& link = world.connect("link" + std::to_string(i));
        ports.push_back({link.b().input, link.b().output});
        hosts.push_back(std::make_unique<Leaper>(i, link.a(), seed, traffic));
    }
    fabric::Switch fabric("fabric", ports, pool(),
                          fabric::SwitchOptions{.seed = seed, .capacity = 1024, .addresses = 64});
    for (unsigned i = 0; i < kHosts; ++i)
        fabric.set(i, {.loss = random.unit() * 0.01, .delay = some(random, 100us)});
    world.add(fabric);
    for (const auto& host : hosts)
        world.add(*host);
    const auto finished = [&] {
        return std::all_of(hosts.begin(), hosts.end(),
                           [](const auto& host) { return host->talker().finished(); });
    };
    // All say something, and again after a while in which only clocks have moved.
    for (unsigned round = 0; round < 3; ++round) {
        if (!world.run_until(finished, 5s)) return "messages are missing";
        world.run_for(20ms);
        for (const auto& host : hosts)
            host->talker().say_more(5);
    }
    if (!world.run_until(finished, 5s)) return "messages are missing after a rest";
    for (const auto& host : hosts) {
        if (!host->talker().complaint().empty()) return host->talker().complaint();
        if (host->niu().counters().peers_lost.get() != 0) return host->name() + " took somebody for dead";
        leaps.most = std::max(leaps.most, host->ahead());
        leaps.resent += host->niu().counters().resent_timeout.get();
    }
    world.drain();
    ++leaps.seeds;
    return {};
}

}  // namespace

TEST(NiuClock, leaps_lose_no_message_and_kill_nobody) {
    constexpr std::uint64_t kSeeds = 200;
    Leaps leaps;
    for_each_seed(kSeeds, [&](std::uint64_t seed) {
        EXPECT_EQ(run(seed, leaps), "");
        EXPECT_EQ(pool().in_use(), 0U);
    });
    std::cout << "clocks were up to "
              << std::chrono::duration_cast<std::chrono::milliseconds>(leaps.most).count() << " ms ahead; "
              << leaps.resent << " frames were sent again after a timeout\n";
    if (leaps.seeds < kSeeds) return;
    EXPECT_GT(leaps.most, 10 * kSilence);
    EXPECT_GT(leaps.resent, kSeeds / 2);
}

}  // namespace isoplane::test::niu_clock
