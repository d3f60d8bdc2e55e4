// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "bench.hh"

#include <nlohmann/json.hpp>

namespace isoplane::test {

using fabric::LateCopies;
using fabric::parse_impairment;

/// Copies that come again through port 1.
class Late : public FabricTest {
  protected:
    void SetUp() override { start(pool()); }
    void TearDown() override {
        bench_.reset();
        FabricTest::TearDown();
    }

    void start(runtime::Pool& copies) {
        bench_ = std::make_unique<Bench>(2, fabric::SwitchOptions{}, copies);
        bench_->introduce_all();
    }
    void set(std::string_view impairment) { bench_->fabric().set(1, parse_impairment(impairment)); }
    std::size_t arrived() { return bench_->out(1).frames().size(); }
    const fabric::EgressCounters& said() { return bench_->fabric().egress(1); }
    std::uint64_t to_come() {
        nlohmann::json out;
        bench_->fabric().describe(out);
        return out["ports"][1]["to_come_late"];
    }

    std::unique_ptr<Bench> bench_;
};

TEST_F(Late, a_copy_comes_when_it_is_due_and_the_frame_at_once) {
    set("late=1,after=50ms");
    bench_->send(0, 1, 7);
    EXPECT_EQ(arrived(), 1U);
    EXPECT_EQ(to_come(), 1U);
    EXPECT_EQ(bench_->fabric().held(), 0U) << "nobody waits for it";
    bench_->poll(50ms - 1ns);
    EXPECT_EQ(arrived(), 1U);
    EXPECT_EQ(said().late.get(), 0U);
    bench_->poll(1ns);
    ASSERT_EQ(arrived(), 2U);
    EXPECT_EQ(crc_of(bench_->out(1).frames()[0]), crc_of(bench_->out(1).frames()[1]));
    EXPECT_EQ(said().late.get(), 1U);
    EXPECT_EQ(to_come(), 0U);
    bench_->poll(1s);
    EXPECT_EQ(arrived(), 2U) << "a copy has no copies";
}

TEST_F(Late, copies_come_within_the_time_and_not_in_the_order_of_their_frames) {
    set("late=1,after=5ms..10ms");
    bench_->stream(100);
    EXPECT_EQ(arrived(), 100U);
    bench_->poll(5ms - 200us);
    EXPECT_EQ(arrived(), 100U);
    for (unsigned i = 0; i < 520; ++i)
        bench_->poll(10us);
    ASSERT_EQ(arrived(), 200U);
    const auto& frames = bench_->out(1).frames();
    EXPECT_FALSE(std::is_sorted(frames.begin() + 100, frames.end(), [](const rte_mbuf* a, const rte_mbuf* b) {
        return mark_of(a).number < mark_of(b).number;
    }));
    EXPECT_EQ(said().reordered.get(), 0U);
}

TEST_F(Late, what_is_lost_damaged_or_held_back_has_none) {
    for (const char* other : {"loss=1", "corrupt=1", "reorder=1"}) {
        set(std::string("late=1,after=1ms,") + other);
        bench_->send(0, 1);
        EXPECT_EQ(to_come(), 0U) << other;
    }
}

TEST_F(Late, a_frame_that_is_delayed_goes_before_its_copy) {
    set("late=1,after=1ms,delay=50ms");
    bench_->send(0, 1);
    bench_->poll(50ms);
    EXPECT_EQ(arrived(), 1U);
    bench_->poll(1ms);
    EXPECT_EQ(arrived(), 2U);
}

TEST_F(Late, no_more_than_so_many_are_to_come_and_all_frames_pass) {
    set("late=1,after=50ms");
    constexpr std::uint32_t kFrames = 2 * LateCopies::kMost;
    bench_->stream(kFrames);
    EXPECT_EQ(arrived(), kFrames);
    EXPECT_EQ(to_come(), LateCopies::kMost);
    bench_->poll(60ms);
    bench_->poll();
    EXPECT_EQ(arrived(), kFrames + LateCopies::kMost);
}

TEST_F(Late, copies_take_no_frames_place_and_find_none_where_frames_wait) {
    set("late=1,after=1ms,queue=2");
    for (std::uint32_t i = 0; i < 5; ++i)
        bench_->send(0, 1, i);
    EXPECT_EQ(to_come(), 5U);
    EXPECT_EQ(bench_->out(1).take().first, 5U);
    bench_->out(1).room = 0;
    bench_->stream(2);
    EXPECT_EQ(said().queue_full.get(), 0U);
    bench_->poll(5ms);
    EXPECT_EQ(bench_->fabric().held(), 2U);
    EXPECT_EQ(to_come() + said().late.get(), 0U);
    bench_->out(1).room = SIZE_MAX;
    bench_->rest();
    EXPECT_EQ(bench_->out(1).take().all, 2U);
}

TEST_F(Late, they_come_although_no_more_are_made_but_not_through_a_cut) {
    set("late=1,after=1ms..1ms");
    bench_->send(0, 1);
    set("");
    bench_->poll(1ms);
    EXPECT_EQ(arrived(), 2U);
    set("late=1,after=1ms");
    bench_->send(0, 1);
    set("late=1,after=3ms");
    bench_->send(0, 1);
    set("cut=on");
    bench_->poll(2ms);
    set("");
    EXPECT_EQ(to_come(), 1U);
    bench_->poll(2ms);
    EXPECT_EQ(arrived(), 5U);
    EXPECT_EQ(said().late.get(), 2U);
}

TEST_F(Late, those_to_come_are_freed_and_are_no_frames_that_were_left) {
    set("late=1,after=1s");
    bench_->stream(10);
    bench_->out(1).take();
    EXPECT_EQ(pool().in_use(), 10U);
    EXPECT_EQ(bench_->fabric().discard(), 0U);
    EXPECT_EQ(pool().in_use(), 0U);
    bench_->stream(10);  // TearDown sees whether the fabric frees them in the end
}

TEST_F(Late, without_memory_for_copies_none_come) {
    runtime::Pool tiny("tiny_late", 1, runtime::Pool::kDefaultRoom, 0);
    rte_mbuf* last = tiny.packet().release();
    start(tiny);
    set("late=1,after=1ms");
    bench_->send(0, 1);
    bench_->poll(1ms);
    EXPECT_EQ(said().no_memory.get(), 1U);
    EXPECT_EQ(bench_->out(1).take().all, 1U);
    bench_.reset();
    rte_pktmbuf_free(last);
}

}  // namespace isoplane::test
