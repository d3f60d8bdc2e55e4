// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>
#include <rte_ether.h>

#include <cstring>
#include <isoplane/runtime/pool.hh>
#include <isoplane/runtime/ring.hh>
#include <nlohmann/json.hpp>

#include "traffic/echo.hh"
#include "traffic/forward.hh"
#include "traffic/generate.hh"
#include "traffic/sink.hh"

namespace isoplane::traffic {
namespace {

using runtime::kBurst;
using runtime::Time;
using namespace std::chrono_literals;

constexpr Time kNow{1h};
/// Less than a burst.
constexpr unsigned kSmall = 32;

/// Rings around a stage, and a pool that must be full again when the test ends.
class TrafficTest : public testing::Test {
  protected:
    static constexpr unsigned kPackets = 1023;

    ~TrafficTest() override {
        from.drain();
        to.drain();
        EXPECT_EQ(pool.in_use(), 0U);
    }

    /// Puts `n` packets of `size` bytes into `from`, each filled with its number.
    void offer(unsigned n, std::uint16_t size = 60) {
        for (unsigned i = 0; i < n; ++i) {
            rte_mbuf* m = pool.packet().release();
            std::memset(rte_pktmbuf_append(m, size), static_cast<int>(i), size);
            ASSERT_EQ(from.output().send(&m, 1), 1);
        }
    }

    /// Takes one packet out of `to`.
    runtime::Packet taken() {
        runtime::Burst burst;
        return to.input().receive(burst.data(), 1) == 1 ? runtime::Packet{burst[0]} : runtime::Packet{};
    }

    static nlohmann::json figures_of(const runtime::Stage& stage) {
        nlohmann::json figures;
        stage.describe(figures);
        return figures;
    }

    wire::Expect anybody() const { return {{}, 7, wire::kBroadcast, 0xffff}; }

    runtime::Pool pool{"traffic", kPackets, runtime::Pool::kDefaultRoom, 0};
    runtime::Ring from{"from", 256};
    runtime::Ring to{"to", 256};
};

TEST_F(TrafficTest, forward_keeps_the_order_and_every_packet) {
    Forward forward("forward", from.input(), to.output());
    offer(200);
    EXPECT_EQ(forward.poll(kNow), 200U) << "follows full bursts";
    EXPECT_EQ(forward.poll(kNow), 0U);
    for (unsigned i = 0; i < 200; ++i) {
        const runtime::Packet packet = taken();
        ASSERT_TRUE(packet);
        EXPECT_EQ(*rte_pktmbuf_mtod(packet.get(), std::uint8_t*), i);
    }
}

TEST_F(TrafficTest, forward_takes_nothing_in_while_its_output_is_full) {
    runtime::Ring narrow{"narrow", kSmall};
    Forward forward("forward", from.input(), narrow.output());
    offer(100);
    forward.poll(kNow);
    const unsigned waiting = from.count();
    EXPECT_EQ(narrow.count() + forward.held() + waiting, 100U);
    EXPECT_GT(forward.held(), 0U);
    forward.poll(kNow);
    EXPECT_EQ(from.count(), waiting);

    unsigned came = 0;
    for (unsigned n = narrow.drain(); n > 0; n = narrow.drain()) {
        came += n;
        forward.poll(kNow);
    }
    EXPECT_EQ(came, 100U);
    EXPECT_EQ(forward.held(), 0U);
}

TEST_F(TrafficTest, forward_frees_what_it_holds_when_told_to) {
    runtime::Ring narrow{"narrow", kSmall};
    Forward forward("forward", from.input(), narrow.output());
    offer(kBurst);
    forward.poll(kNow);
    const std::size_t held = forward.held();
    EXPECT_EQ(forward.discard(), held);
    EXPECT_EQ(forward.held(), 0U);
    EXPECT_EQ(narrow.drain() + held, kBurst);
}

TEST_F(TrafficTest, forward_begins_with_its_own_bursts_and_makes_no_more) {
    Forward forward("forward", from.input(), to.output());
    forward.prime(pool, 2, 60);
    for (int i = 0; i < 5; ++i)
        forward.poll(kNow);
    EXPECT_EQ(to.count(), 2U * kBurst);
}

TEST_F(TrafficTest, echo_swaps_the_addresses_and_nothing_else) {
    Echo echo("echo", from.input(), to.output());
    rte_mbuf* m = pool.packet().release();
    auto* const bytes = reinterpret_cast<std::uint8_t*>(rte_pktmbuf_append(m, 60));
    for (unsigned i = 0; i < 60; ++i)
        bytes[i] = static_cast<std::uint8_t>(i);
    ASSERT_EQ(from.output().send(&m, 1), 1);
    EXPECT_EQ(echo.poll(kNow), 1U);
    const runtime::Packet packet = taken();
    ASSERT_EQ(packet.get(), m);
    for (unsigned i = 0; i < 60; ++i)
        EXPECT_EQ(bytes[i], i < 6 ? i + 6 : i < 12 ? i - 6 : i);
}

TEST_F(TrafficTest, echo_returns_a_runt_as_it_came) {
    Echo echo("echo", from.input(), to.output());
    offer(1, 13);
    EXPECT_EQ(echo.poll(kNow), 1U);
    const runtime::Packet packet = taken();
    ASSERT_TRUE(packet);
    EXPECT_EQ(rte_pktmbuf_data_len(packet.get()), 13);
}

TEST_F(TrafficTest, echo_waits_for_a_full_output) {
    runtime::Ring narrow{"narrow", kSmall};
    Echo echo("echo", from.input(), narrow.output());
    offer(kBurst);
    echo.poll(kNow);
    EXPECT_EQ(narrow.count() + echo.held(), kBurst);
    EXPECT_EQ(echo.poll(kNow), 0U);
    narrow.drain();
    echo.poll(kNow);
    EXPECT_EQ(echo.held() + narrow.drain(), kBurst - kSmall);
    echo.discard();
}

TEST_F(TrafficTest, sink_accepts_every_frame_that_generate_makes) {
    for (const std::uint16_t size : {kMinFrame, std::uint16_t{85}, std::uint16_t{86}, std::uint16_t{1514}}) {
        Generate generate("generate", to.output(), pool, {.size = size, .count = 100, .job_key = 7});
        Sink sink("sink", to.input(), anybody());
        for (int i = 0; i < 4; ++i) {
            generate.poll(kNow);
            sink.poll(kNow);
        }
        EXPECT_TRUE(generate.finished()) << size;
        EXPECT_EQ(sink.good(), 100U) << size;
        EXPECT_EQ(sink.taken(), 100U) << size;
        EXPECT_EQ(sink.refused(), 0U) << size;
        EXPECT_EQ(sink.missing(), 0U) << size;
    }
}

TEST_F(TrafficTest, generate_sends_its_count_through_an_output_that_stalls) {
    runtime::Ring narrow{"narrow", kSmall};
    Generate generate("generate", narrow.output(), pool, {.count = 500, .job_key = 7});
    Sink sink("sink", narrow.input(), anybody());
    for (int i = 0; i < 3; ++i)
        generate.poll(kNow);
    EXPECT_EQ(generate.sent(), kSmall) << "what the backlog holds has not left";
    for (int i = 0; i < 100 && !generate.finished(); ++i) {
        sink.poll(kNow);
        generate.poll(kNow);
    }
    while (sink.poll(kNow) > 0) {
    }
    EXPECT_EQ(sink.good(), 500U);
    EXPECT_EQ(sink.missing() + sink.duplicates() + sink.late(), 0U);
}

TEST_F(TrafficTest, generate_makes_discarded_frames_again) {
    runtime::Ring narrow{"narrow", kSmall};
    Generate generate("generate", narrow.output(), pool, {.count = kBurst, .job_key = 7});
    Sink sink("sink", narrow.input(), anybody());
    generate.poll(kNow);
    EXPECT_EQ(generate.discard(), kBurst - kSmall);
    for (int i = 0; i < 10; ++i) {
        sink.poll(kNow);
        generate.poll(kNow);
    }
    EXPECT_EQ(sink.good(), kBurst);
    EXPECT_EQ(sink.missing(), 0U);
}

TEST_F(TrafficTest, generate_waits_for_an_empty_pool) {
    Generate generate("generate", to.output(), pool, {.count = 10, .job_key = 7});
    std::vector<runtime::Packet> all;
    while (runtime::Packet packet = pool.packet())
        all.push_back(std::move(packet));
    EXPECT_EQ(generate.poll(kNow), 0U);
    all.clear();
    EXPECT_EQ(generate.poll(kNow), 10U);
    EXPECT_TRUE(generate.finished());
}

TEST_F(TrafficTest, generate_makes_nothing_while_it_is_quiet) {
    Generate generate("generate", to.output(), pool, {.job_key = 7});
    generate.set_quiet(true);
    EXPECT_EQ(generate.poll(kNow), 0U);
    generate.set_quiet(false);
    EXPECT_EQ(generate.poll(kNow), kBurst);
}

TEST_F(TrafficTest, generate_keeps_no_more_under_way_than_its_window) {
    Generate generate("generate", to.output(), pool, {.job_key = 7});
    Sink sink("sink", to.input(), anybody());
    generate.keep_under_way(10, sink);
    generate.poll(kNow);
    EXPECT_EQ(generate.poll(kNow), 0U);
    EXPECT_EQ(to.count(), 10U);
    sink.poll(kNow);
    EXPECT_EQ(generate.poll(kNow), 10U);
}

TEST_F(TrafficTest, sink_counts_each_damage_by_its_reason) {
    Generate generate("generate", to.output(), pool, {.count = 3, .job_key = 7});
    Sink sink("sink", from.input(), anybody());
    generate.poll(kNow);
    runtime::Packet whole = taken();
    runtime::Packet broken = taken();
    runtime::Packet cut = taken();
    rte_pktmbuf_mtod(broken.get(), std::uint8_t*)[wire::kEthernetSize + 8] ^= 1;
    rte_pktmbuf_trim(cut.get(), 20);
    for (runtime::Packet* packet : {&whole, &broken, &cut}) {
        rte_mbuf* m = packet->release();
        ASSERT_EQ(from.output().send(&m, 1), 1);
    }
    offer(1);  // of another protocol
    EXPECT_EQ(sink.poll(kNow), 4U);
    EXPECT_EQ(sink.good(), 1U);
    EXPECT_EQ(sink.refused(), 2U);
    EXPECT_EQ(sink.taken(), 4U);
}

TEST_F(TrafficTest, sink_refuses_the_frames_of_another_job) {
    Generate generate("generate", to.output(), pool, {.count = 5, .job_key = 8});
    Sink sink("sink", to.input(), anybody());
    generate.poll(kNow);
    sink.poll(kNow);
    EXPECT_EQ(sink.good(), 0U);
    EXPECT_EQ(sink.refused(), 5U);
}

TEST_F(TrafficTest, sink_follows_each_sender_by_itself) {
    Sink sink("sink", to.input(), anybody());
    for (const std::uint16_t source : {std::uint16_t{0}, std::uint16_t{3}}) {
        Generate generate("generate", to.output(), pool, {.count = 20, .job_key = 7, .source = source});
        generate.poll(kNow);
    }
    while (sink.poll(kNow) > 0) {
    }
    EXPECT_EQ(sink.good(), 40U);
    EXPECT_EQ(sink.duplicates(), 0U);
}

TEST_F(TrafficTest, sink_measures_the_age_of_frames) {
    Generate generate("generate", to.output(), pool, {.size = 128, .count = 50, .job_key = 7});
    Sink sink("sink", to.input(), anybody());
    generate.poll(kNow);
    sink.poll(kNow + 100us);
    EXPECT_EQ(sink.latency().count(), 50U);
    EXPECT_NEAR(static_cast<double>(sink.latency().quantile(0.5)), 1e5, 5e3);
}

TEST_F(TrafficTest, sink_begins_again_after_its_counters_were_cleared) {
    Generate generate("generate", to.output(), pool, {.count = 2 * kBurst, .job_key = 7});
    Sink sink("sink", to.input(), anybody());
    generate.poll(kNow);
    sink.poll(kNow);
    sink.clear_counters();
    EXPECT_EQ(figures_of(sink)["good"], 0);
    generate.poll(kNow);
    sink.poll(kNow);
    EXPECT_EQ(figures_of(sink)["good"], kBurst);
    EXPECT_EQ(sink.missing(), 0U) << "it knows the numbers before that";
    EXPECT_EQ(sink.good(), 2U * kBurst) << "what the end of a run waits for";
    EXPECT_EQ(sink.taken(), 2U * kBurst) << "what a window counts on";
}

TEST_F(TrafficTest, generate_sends_its_count_though_its_counters_are_cleared) {
    Generate generate("generate", to.output(), pool, {.count = kBurst + 1, .job_key = 7});
    generate.poll(kNow);
    generate.clear_counters();
    EXPECT_EQ(figures_of(generate)["sent"], 0);
    EXPECT_EQ(generate.poll(kNow), 1U);
    EXPECT_EQ(figures_of(generate)["sent"], 1);
    EXPECT_TRUE(generate.finished());
    EXPECT_EQ(generate.poll(kNow), 0U);
}

}  // namespace
}  // namespace isoplane::traffic
