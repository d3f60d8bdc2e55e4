// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/niu/receive_window.hh>

#include "pool_test.hh"

namespace isoplane::niu {
namespace {

class ReceiveWindowTest : public test::PoolTest {
  protected:
    Arrival accept(Sequence sequence, Sequence limit) {
        rte_mbuf* frame = packet();
        const Arrival arrival = window.accept(sequence, frame, limit);
        if (arrival != Arrival::kEarly) rte_pktmbuf_free(frame);
        return arrival;
    }
    unsigned take_all() {
        unsigned n = 0;
        while (rte_mbuf* frame = window.take()) {
            rte_pktmbuf_free(frame);
            ++n;
        }
        return n;
    }

    ReceiveWindow window{128};
};

}  // namespace

TEST_F(ReceiveWindowTest, passes_frames_in_order) {
    for (Sequence s = 0; s < 1000; ++s) {
        EXPECT_EQ(accept(s, s + 128), Arrival::kInOrder);
        EXPECT_EQ(window.take(), nullptr);
    }
    EXPECT_EQ(window.expected(), 1000U);
    EXPECT_EQ(window.selective(), 0U);
}

TEST_F(ReceiveWindowTest, keeps_early_frames_until_the_gap_is_filled) {
    EXPECT_EQ(accept(2, 128), Arrival::kEarly);
    EXPECT_EQ(accept(1, 128), Arrival::kEarly);
    EXPECT_EQ(accept(4, 128), Arrival::kEarly);
    EXPECT_EQ(window.take(), nullptr);
    EXPECT_EQ(window.selective(), 0b1011U);
    EXPECT_EQ(accept(0, 128), Arrival::kInOrder);
    EXPECT_EQ(take_all(), 2U);
    EXPECT_EQ(window.expected(), 3U);
    EXPECT_EQ(window.selective(), 0b1U);
    EXPECT_EQ(window.reset(), 1U);
}

TEST_F(ReceiveWindowTest, refuses_what_has_been_here) {
    EXPECT_EQ(accept(0, 128), Arrival::kInOrder);
    EXPECT_EQ(accept(0, 128), Arrival::kDuplicate);
    EXPECT_EQ(accept(3, 128), Arrival::kEarly);
    EXPECT_EQ(accept(3, 128), Arrival::kDuplicate);
    EXPECT_EQ(accept(0xffffffff, 128), Arrival::kDuplicate);
    window.reset();
}

TEST_F(ReceiveWindowTest, refuses_what_was_not_granted) {
    EXPECT_EQ(accept(8, 8), Arrival::kBeyond);
    EXPECT_EQ(accept(1'000'000, 8), Arrival::kBeyond);
    EXPECT_EQ(accept(0, 0), Arrival::kBeyond);
    EXPECT_EQ(accept(7, 8), Arrival::kEarly);
    window.reset();
}

TEST_F(ReceiveWindowTest, reports_the_64_frames_behind_the_one_awaited) {
    for (Sequence s = 1; s < 100; ++s)
        EXPECT_EQ(accept(s, 128), Arrival::kEarly);
    EXPECT_EQ(window.selective(), ~std::uint64_t{0});
    EXPECT_EQ(window.early(), 99U);
    EXPECT_EQ(window.reset(), 99U);
    EXPECT_EQ(window.expected(), 0U);
}

TEST_F(ReceiveWindowTest, goes_on_across_the_wrap_of_all_numbers) {
    constexpr Sequence kLimit = 0x7e;
    window.reset(0xfffffffe);
    EXPECT_EQ(accept(1, kLimit), Arrival::kEarly);
    EXPECT_EQ(accept(0xfffffffd, kLimit), Arrival::kDuplicate);
    EXPECT_EQ(accept(kLimit, kLimit), Arrival::kBeyond);
    EXPECT_EQ(accept(0xfffffffe, kLimit), Arrival::kInOrder);
    EXPECT_EQ(window.selective(), 0b10U);
    EXPECT_EQ(accept(0xffffffff, kLimit), Arrival::kInOrder);
    EXPECT_EQ(accept(0xffffffff, kLimit), Arrival::kDuplicate);
    EXPECT_EQ(accept(0, kLimit), Arrival::kInOrder);
    EXPECT_EQ(take_all(), 1U);
    EXPECT_EQ(window.expected(), 2U);
    EXPECT_EQ(window.reset(), 0U);
}

}  // namespace isoplane::niu
