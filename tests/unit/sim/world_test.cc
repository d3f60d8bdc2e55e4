// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <isoplane/runtime/ring.hh>
#include <isoplane/sim/world.hh>

#include "../../sim/host.hh"

namespace isoplane::test {

using fabric::parse_impairment;
using runtime::Duration;
using runtime::Time;
using namespace std::chrono_literals;

namespace {

runtime::Pool& pool() {
    static runtime::Pool the_pool("world_test", 4095);
    return the_pool;
}

/// Notes when it is polled and when frames come to it.
class Watcher final : public runtime::Stage {
  public:
    Watcher(std::string name, runtime::Input& input) : Stage(std::move(name)), in_(takes_from(input)) {}

    unsigned poll(Time now) override {
        EXPECT_LE(last_, now) << "time went back";
        last_ = now;
        ++polls;
        rte_mbuf* frame = nullptr;
        unsigned n = 0;
        for (; in_.receive(&frame, 1) == 1; ++n) {
            arrivals.push_back(now);
            tally.see(frame);
            rte_pktmbuf_free(frame);
        }
        return n;
    }

    std::vector<Time> arrivals;
    Tally tally;
    unsigned polls = 0;

  private:
    runtime::Input& in_;
    Time last_{};
};

/// Hands everything on.
class Relay final : public runtime::Stage {
  public:
    Relay(runtime::Input& input, runtime::Output& output)
        : Stage("relay"), in_(takes_from(input)), out_(gives_to(output)) {}

    unsigned poll(Time /*now*/) override {
        runtime::Burst burst;
        const std::uint16_t n = in_.receive(burst);
        const std::uint16_t sent = out_.send(burst.data(), n);
        rte_pktmbuf_free_bulk(burst.data() + sent, n - sent);
        return n;
    }

  private:
    runtime::Input& in_;
    runtime::Output& out_;
};

std::uint16_t send(runtime::Output& output, std::uint32_t number) {
    rte_mbuf* frame = numbered_frame(pool(), 0, 1, number);
    const std::uint16_t sent = output.send(&frame, 1);
    if (sent == 0) rte_pktmbuf_free(frame);
    return sent;
}

}  // namespace

class World : public testing::Test {
  protected:
    void TearDown() override { EXPECT_EQ(pool().in_use(), 0U) << "frames leaked"; }
};

TEST_F(World, delivers_after_the_latency_and_soon_after_it) {
    sim::World world(1, pool(), {.stall = 0});
    sim::Link& link = world.connect("link", {.latency = 50us});
    Watcher watcher("watcher", link.b().input);
    world.add(watcher);
    send(link.a().output, 0);
    const Time sent = world.now();
    ASSERT_TRUE(world.run_until([&] { return !watcher.arrivals.empty(); }, 1ms));
    EXPECT_GE(watcher.arrivals[0], sent + 50us);
    EXPECT_LE(watcher.arrivals[0], sent + 50us + 400ns) << "two gaps at the most";
}

TEST_F(World, keeps_frames_in_order_on_a_clean_link) {
    sim::World world(1, pool());
    sim::Link& link = world.connect("link");
    Watcher watcher("watcher", link.b().input);
    world.add(watcher);
    for (std::uint32_t i = 0; i < 500; ++i)
        send(link.a().output, i);
    world.run_for(1ms);
    EXPECT_EQ(watcher.tally.first, 500U);
    EXPECT_EQ(watcher.tally.late, 0U);
    EXPECT_EQ(world.delivered(), 500U);
}

TEST_F(World, a_full_link_refuses_and_loses_nothing) {
    sim::World world(1, pool());
    sim::Link& link = world.connect("link", {.capacity = 64});
    Watcher watcher("watcher", link.b().input);
    world.add(watcher);
    std::uint32_t sent = 0;
    while (send(link.a().output, sent) == 1)
        ++sent;
    EXPECT_EQ(sent, 64U);
    world.run_for(1ms);
    EXPECT_EQ(watcher.tally.first, 64U);
}

TEST_F(World, impairs_each_direction_for_itself_and_counts) {
    sim::World world(1, pool());
    sim::Link& link = world.connect("link", {.a_to_b = parse_impairment("loss=0.5,dup=0.5")});
    Watcher at_a("at_a", link.a().input);
    Watcher at_b("at_b", link.b().input);
    world.add(at_a);
    world.add(at_b);
    for (std::uint32_t i = 0; i < 200; ++i) {
        send(link.a().output, i);
        send(link.b().output, i);
    }
    world.run_for(1ms);
    EXPECT_EQ(at_a.tally.first, 200U);
    EXPECT_EQ(at_b.tally.first, 200U - link.a_to_b().counters().lost.get());
    EXPECT_EQ(at_b.tally.duplicates, link.a_to_b().counters().duplicated.get());
    EXPECT_GT(link.a_to_b().counters().lost.get(), 0U);
}

TEST_F(World, skips_time_in_which_nothing_happens) {
    sim::World world(1, pool(), {.idle = 10ms});
    sim::Link& link = world.connect("link");
    Watcher watcher("watcher", link.b().input);
    world.add(watcher);
    world.run_for(10s);
    EXPECT_EQ(world.now(), Time{10s});
    EXPECT_LT(watcher.polls, 10'000U);
}

TEST_F(World, polls_an_idle_stage_often_enough_for_its_timers) {
    sim::World world(1, pool(), {.stall = 0, .idle = 5us});
    sim::Link& link = world.connect("link");
    Watcher watcher("watcher", link.b().input);
    world.add(watcher);
    world.run_for(10ms);
    EXPECT_GE(watcher.polls, 2000U);
}

TEST_F(World, wakes_the_next_stage_of_a_unit_that_a_ring_joins) {
    sim::World world(1, pool(), {.stall = 0, .idle = 10ms});
    sim::Link& link = world.connect("link");
    runtime::Ring ring("world_ring", 64);
    Relay relay(link.b().input, ring.output());
    Watcher watcher("watcher", ring.input());
    world.add(relay, watcher);
    world.run_for(50ms);  // into its idling
    const Time sent = world.now();
    send(link.a().output, 0);
    ASSERT_TRUE(world.run_until([&] { return !watcher.arrivals.empty(); }, 1s));
    EXPECT_LE(watcher.arrivals[0], sent + 2us);
}

TEST_F(World, a_change_of_a_link_wakes_who_waits_for_it) {
    sim::World world(1, pool(), {.stall = 0, .idle = 1s});
    sim::Link& link = world.connect("link", {.a_to_b = parse_impairment("delay=10s")});
    Watcher watcher("watcher", link.b().input);
    world.add(watcher);
    send(link.a().output, 0);
    world.run_for(1ms);
    link.a_to_b().set({});
    world.run_for(10us);
    EXPECT_EQ(watcher.arrivals.size(), 1U);
}

TEST_F(World, run_until_gives_up_at_its_limit) {
    sim::World world(1, pool());
    EXPECT_FALSE(world.run_until([] { return false; }, 5ms));
    EXPECT_EQ(world.now(), Time{5ms});
}

TEST_F(World, drains_until_all_have_come_to_rest) {
    sim::World world(1, pool());
    sim::Link& link = world.connect("link", {.latency = 100us});
    Watcher watcher("watcher", link.b().input);
    world.add(watcher);
    for (std::uint32_t i = 0; i < 10; ++i)
        send(link.a().output, i);
    EXPECT_EQ(world.drain(), 0U);
    EXPECT_EQ(watcher.tally.first, 10U);
}

TEST_F(World, drain_frees_and_counts_what_does_not_come_to_rest) {
    sim::World world(1, pool());
    sim::Link& link = world.connect("link", {.latency = 100ms});
    Watcher watcher("watcher", link.b().input);
    world.add(watcher);
    for (std::uint32_t i = 0; i < 10; ++i)
        send(link.a().output, i);
    EXPECT_EQ(world.drain(1ms), 10U);
    EXPECT_EQ(pool().in_use(), 0U);
}

TEST_F(World, the_same_seed_does_the_same_and_another_something_else) {
    const auto run = [](std::uint64_t seed) {
        sim::World world(seed, pool());
        sim::Link& link = world.connect("link", {.a_to_b = parse_impairment("loss=0.2,dup=0.2,jitter=1us")});
        Host a(0, 2, link.a(), pool(), seed);
        Host b(1, 2, link.b(), pool(), seed);
        world.add(a);
        world.add(b);
        a.talk_to({1}, 300);
        b.talk_to({0}, 300);
        world.run_until([&] { return a.has_finished() && b.has_finished(); }, 1s);
        world.drain();
        return world.trace_hash();
    };
    EXPECT_EQ(run(1), run(1));
    EXPECT_NE(run(1), run(2));
}

TEST_F(World, the_trace_covers_every_byte_and_when_it_came) {
    const auto run = [](std::uint16_t flipped, Duration latency) {
        sim::World world(1, pool());
        sim::Link& link = world.connect("link", {.latency = latency});
        Watcher watcher("watcher", link.b().input);
        world.add(watcher);
        rte_mbuf* frame = numbered_frame(pool(), 0, 1, 0, 61);
        if (flipped < 61) *rte_pktmbuf_mtod_offset(frame, char*, flipped) ^= 1;
        link.a().output.send(&frame, 1);
        world.run_for(1ms);
        return world.trace_hash();
    };
    const std::uint64_t plain = run(61, 50us);
    EXPECT_EQ(run(61, 50us), plain);
    EXPECT_NE(run(61, 51us), plain);
    for (std::uint16_t byte = 0; byte < 61; ++byte)
        EXPECT_NE(run(byte, 50us), plain) << "byte " << byte;
}

TEST_F(World, the_order_of_polls_varies_with_the_seed) {
    // Two frames sent at once on equal links: which arrives first is up to the scheduler.
    unsigned a_first = 0;
    constexpr unsigned kSeeds = 100;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        sim::World world(seed, pool());
        sim::Link& link_a = world.connect("a");
        sim::Link& link_b = world.connect("b");
        Watcher a("a", link_a.b().input);
        Watcher b("b", link_b.b().input);
        world.add(a);
        world.add(b);
        send(link_a.a().output, 0);
        send(link_b.a().output, 0);
        world.run_for(100us);
        ASSERT_EQ(a.arrivals.size() + b.arrivals.size(), 2U);
        a_first += a.arrivals[0] < b.arrivals[0] ? 1U : 0U;
    }
    EXPECT_GT(a_first, 10U);
    EXPECT_LT(a_first, kSeeds - 10);
}

}  // namespace isoplane::test
