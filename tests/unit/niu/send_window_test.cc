// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/niu/send_window.hh>
#include <vector>

#include "pool_test.hh"

namespace isoplane::niu {
namespace {

using namespace std::chrono_literals;
using runtime::Duration;
using runtime::Time;

class SendWindowTest : public test::PoolTest {
  protected:
    void TearDown() override {
        window.reset();
        parting.give_up();
        PoolTest::TearDown();
    }

    /// Sends `n` frames at once, then one is `each` later than the one before it.
    void send(unsigned n, Duration each = 0us) {
        for (; n > 0; --n) {
            window.push(packet(), 0, 0);
            window.mark_sent(now);
            now += each;
        }
    }
    std::vector<Sequence> recover(Duration delay, unsigned most = 128) {
        std::vector<Sequence> lost;
        again = window.recover(now, delay, most, [&](Sequence s) {
            lost.push_back(s);
            window[s].sent = now;
            window[s].sent_again = true;
            return true;
        });
        return lost;
    }

    Parting parting{false, 128};
    SendWindow window{128, parting};
    Time now{1ms};
    Time again{};
};

using Frames = std::vector<Sequence>;

}  // namespace

TEST_F(SendWindowTest, is_full_with_as_many_frames_as_it_has_places) {
    for (int i = 0; i < 128; ++i) {
        EXPECT_FALSE(window.full());
        window.push(packet(), 0, 0);
    }
    EXPECT_TRUE(window.full());
    EXPECT_EQ(window.reset(), 128U);
}

TEST_F(SendWindowTest, frees_what_is_acknowledged) {
    send(100);
    const auto result = window.acknowledge(70, 0, now);
    EXPECT_TRUE(result.possible);
    EXPECT_EQ(result.packets, 70U);
    parting.flush();
    EXPECT_EQ(test::niu_pool().in_use(), 30U);
    EXPECT_EQ(window.first(), 70U);
}

TEST_F(SendWindowTest, gives_up_at_once_what_a_user_has_given) {
    Parting staying{true, 16};
    SendWindow mixed{16, staying};
    rte_mbuf* const ours = packet();
    rte_mbuf* const given = packet();
    mixed.push(ours, 0, 0);
    mixed.push(given, 0, 0, Origin::kGiven);
    for (rte_mbuf* m : {ours, given}) {
        rte_mbuf_refcnt_update(m, 1);
        mixed.mark_sent(now);
    }
    EXPECT_EQ(mixed.acknowledge(2, 0, now).packets, 2U);
    EXPECT_EQ(runtime::references(ours), 2U);
    EXPECT_EQ(runtime::references(given), 1U);
    rte_pktmbuf_free(ours);
    rte_pktmbuf_free(given);
    staying.flush();
}

TEST_F(SendWindowTest, takes_no_word_of_frames_that_were_never_sent) {
    for (const unsigned sent : {0U, 3U}) {
        send(sent);
        window.acknowledge(window.next(), 0, now);
        const auto result = window.acknowledge(window.next(), ~std::uint64_t{0}, now);
        EXPECT_TRUE(result.possible);
        EXPECT_FALSE(result.news);
    }
}

TEST_F(SendWindowTest, takes_an_old_acknowledgement_for_no_news) {
    send(10);
    window.acknowledge(8, 0, now);
    const auto result = window.acknowledge(3, 0xff, now);
    EXPECT_TRUE(result.possible);
    EXPECT_FALSE(result.news);
    EXPECT_EQ(window.first(), 8U);
}

TEST_F(SendWindowTest, does_not_believe_in_frames_that_were_not_sent) {
    send(10);
    window.push(packet(), 0, 0);
    EXPECT_FALSE(window.acknowledge(11, 0, now).possible);
    EXPECT_FALSE(window.acknowledge(0x40000000, 0, now).possible);
    EXPECT_FALSE(window.acknowledge(0x80000000, 0, now).possible);
    EXPECT_FALSE(window.acknowledge(0, std::uint64_t{1} << 9, now).news);
    EXPECT_EQ(window.size(), 11U);
}

TEST_F(SendWindowTest, does_not_believe_in_half_of_all_frames_when_none_was_sent) {
    EXPECT_FALSE(window.acknowledge(0x80000000, 0, now).possible);
}

TEST_F(SendWindowTest, measures_the_newest_frame_that_was_sent_once) {
    send(3, 10us);
    now += 70us;
    EXPECT_EQ(window.acknowledge(2, 0, now).rtt, 90us);
    window[2].sent_again = true;
    EXPECT_EQ(window.acknowledge(3, 0, now).rtt, std::nullopt);
}

TEST_F(SendWindowTest, does_not_measure_a_frame_that_waited_behind_a_gap) {
    send(3, 10us);
    EXPECT_EQ(window.acknowledge(0, 0b11, now).rtt, 10us);
    window[0].sent_again = true;
    now += 5ms;
    EXPECT_EQ(window.acknowledge(3, 0, now).rtt, std::nullopt);
}

TEST_F(SendWindowTest, a_hole_is_lost_when_three_later_frames_have_arrived_and_the_time_has_passed) {
    send(5);
    now += 100us;
    window.acknowledge(0, 0b0011, now);
    EXPECT_EQ(recover(50us), Frames{});
    window.acknowledge(0, 0b0111, now);
    EXPECT_EQ(recover(200us), Frames{});
    EXPECT_EQ(again, now + 100us);
    EXPECT_EQ(recover(50us), Frames{0});
    EXPECT_EQ(again, Time::max());
}

TEST_F(SendWindowTest, a_frame_sent_again_is_lost_again_only_by_what_was_sent_after_it) {
    send(4);
    now += 100us;
    window.acknowledge(0, 0b111, now);
    EXPECT_EQ(recover(50us), Frames{0});
    now += 1ms;
    EXPECT_EQ(recover(50us), Frames{});
    send(1);
    now += 100us;
    window.acknowledge(0, 0b1111, now);
    EXPECT_EQ(recover(50us), Frames{0});
}

TEST_F(SendWindowTest, remembers_what_arrived_when_the_first_hole_is_filled) {
    send(10);
    now += 100us;
    window.acknowledge(0, 0b111'1011, now);  // 0 and 3 are missing
    window.acknowledge(3, 0, now);  // an older selective part with a newer first: says less, undoes nothing
    EXPECT_EQ(recover(50us), Frames{3});
}

TEST_F(SendWindowTest, resends_the_oldest_that_are_not_known_to_have_arrived) {
    send(6);
    window.acknowledge(0, 0b101, now);  // 1 and 3
    Frames sent;
    window.resend_oldest(3, now, [&](Sequence s) {
        sent.push_back(s);
        return true;
    });
    EXPECT_EQ(sent, (Frames{0, 2, 4}));
}

TEST_F(SendWindowTest, does_not_resend_what_was_sent_since) {
    send(4, 10us);
    Frames sent;
    window.resend_oldest(4, now - 20us, [&](Sequence s) {
        sent.push_back(s);
        return true;
    });
    EXPECT_EQ(sent, (Frames{0, 1, 2}));
}

TEST_F(SendWindowTest, a_hole_beyond_what_the_network_has_room_for_waits) {
    send(20);
    now += 100us;
    window.acknowledge(0, 0b111'1111'0111'1111'0000, now);  // 0 to 4 and 12 are missing
    EXPECT_EQ(recover(50us, 4), (Frames{0, 1, 2, 3}));
    EXPECT_EQ(recover(50us), (Frames{4, 12}));
}

TEST_F(SendWindowTest, sends_no_more_than_there_is_room_for) {
    send(4);
    window.push(packet(), 0, 0);
    EXPECT_FALSE(window.may_send(4));
    EXPECT_TRUE(window.may_send(5));
    window.acknowledge(1, 0, now);
    EXPECT_TRUE(window.may_send(4));
    window.mark_sent(now);
    EXPECT_FALSE(window.may_send(100));
}

TEST_F(SendWindowTest, goes_on_across_the_wrap_of_its_ring) {
    for (Sequence s = 0; s < 1000; s += 100) {
        send(100);
        EXPECT_EQ(window.acknowledge(s + 100, 0, now).packets, 100U);
    }
    EXPECT_TRUE(window.empty());
}

/// Frames 0 and 2 are missing.
TEST_F(SendWindowTest, goes_on_across_the_wrap_of_all_numbers) {
    window.reset(0xfffffffe);
    send(10);
    now += 100us;
    EXPECT_TRUE(window.acknowledge(0, 0b1'1110'1, now).possible);
    EXPECT_EQ(window.first(), 0U);
    EXPECT_EQ(recover(50us), (Frames{0, 2}));
    const auto old = window.acknowledge(0xffffffff, 0b1, now);
    EXPECT_TRUE(old.possible);
    EXPECT_FALSE(old.news);
    EXPECT_FALSE(window.acknowledge(9, 0, now).possible);
    EXPECT_EQ(window.acknowledge(8, 0, now).packets, 8U);
    EXPECT_TRUE(window.empty());
}

}  // namespace isoplane::niu
