// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// A node that does not come.
#include "nal_test.hh"

namespace isoplane::test {

namespace {

constexpr runtime::Duration kAbsent = 80ms;

/// A process at node 0, which has something for one at node 1.
class AbsentTest : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_EQ(ni_.open(1), Status::kOk);
        const MdSpec spec{.start = memory_.data(),
                          .length = memory_.size(),
                          .threshold = kInfinite,
                          .max_size = 0,
                          .options = 0,
                          .user_ptr = nullptr,
                          .eq = kNoQueue};
        ASSERT_EQ(ni_.bind(spec, Unlink::kRetain, md_), Status::kOk);
        run(1ms);
        ASSERT_EQ(ni_.put(md_, {}, AckRequest::kNoAck, {.process = {1, 1}}, 0), Status::kOk);
        run(1ms);
    }
    void TearDown() override {
        niu_.discard();
        to_niu_.drain();
        to_other_.drain();
    }

    void run(runtime::Duration duration, runtime::Duration each = 100us) {
        for (const runtime::Time end = now_ + duration; now_ < end;) {
            now_ += each;
            nal_.poll(now_);
            niu_.poll(now_);
            dispatcher_.dispatch();
        }
    }
    std::uint64_t failed() const { return nal_.counters().failed.get(); }

    runtime::Pool pool_{"unit_absent", 1023};
    runtime::Ring to_niu_{"unit_absent_to_niu"};
    runtime::Ring to_other_{"unit_absent_to_other"};
    niu::Niu niu_{"niu", to_niu_.input(), to_other_.output(), pool_, {.nodes = {"a", "b"}, .job_key = 7}};
    niu::Dispatcher dispatcher_{niu_};
    Hands hands_;
    nal::OverNiu nal_{"nal", {{&niu_, &dispatcher_}}, hands_, {.absent = kAbsent, .returning = kAbsent / 8}};
    Interface ni_{0, nal_, Options{}};
    Handle md_ = kInvalid;
    std::array<std::byte, 100> memory_{};
    runtime::Time now_{1s};
};

}  // namespace

TEST_F(AbsentTest, is_waited_for_a_while) {
    run(kAbsent - 5ms);
    EXPECT_EQ(failed(), 0U);
    run(10ms);
    EXPECT_EQ(failed(), 1U);
}

/// It may have been stopped, too.
TEST_F(AbsentTest, is_waited_for_as_long_when_nobody_polled_for_longer_than_that) {
    run(2 * kAbsent, 2 * kAbsent);
    run(kAbsent / 2);
    EXPECT_EQ(failed(), 0U);
    run(kAbsent / 2);
    EXPECT_EQ(failed(), 1U);
}

TEST_F(AbsentTest, is_waited_for_no_longer_where_one_that_has_ended_is_waited_for_less) {
    run(kAbsent + kAbsent / 8, kAbsent / 8);
    EXPECT_EQ(failed(), 1U);
}

/// As a reply that begins, and then is not there; once, though the MD is for more.
TEST_F(AbsentTest, ends_what_is_to_be_got_from_it) {
    Handle queue = kNoQueue;
    ASSERT_EQ(ni_.open_queue(16, nullptr, queue), Status::kOk);
    const MdSpec spec{.start = memory_.data(),
                      .length = memory_.size(),
                      .threshold = 2,
                      .max_size = 0,
                      .options = 0,
                      .user_ptr = nullptr,
                      .eq = queue};
    Handle sink = kInvalid;
    ASSERT_EQ(ni_.bind(spec, Unlink::kUnlink, sink), Status::kOk);
    const Target target{.process = {1, 5}, .portal = 3, .cookie = 0, .match_bits = 17, .remote_offset = 8};
    ASSERT_EQ(ni_.get(sink, Range{10, 20}, target), Status::kOk);
    run(kAbsent + 5ms);
    EXPECT_EQ(failed(), 3U);
    Event event{};
    std::size_t which = 0;
    EventHandler handler = nullptr;
    for (const EventKind kind : {EventKind::kReplyStart, EventKind::kReplyEnd}) {
        ASSERT_EQ(ni_.take({&queue, 1}, event, which, handler), Status::kOk);
        EXPECT_EQ(event.kind, kind);
        EXPECT_EQ(event.initiator, target.process);
        EXPECT_EQ(event.portal, 3U);
        EXPECT_EQ(event.match_bits, 17U);
        EXPECT_EQ(event.rlength, 20U);
        EXPECT_EQ(event.mlength, 0U);
        EXPECT_EQ(event.spec.threshold, 1);
    }
    EXPECT_EQ(event.failure, kFailed);
    EXPECT_EQ(ni_.take({&queue, 1}, event, which, handler), Status::kEqEmpty);
}

TEST_F(AbsentTest, is_given_up_by_who_polls_seldom_as_well) {
    run(8 * kAbsent, kAbsent / 2);
    EXPECT_EQ(failed(), 1U);
}

}  // namespace isoplane::test
