// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// What has an end when a node dies.
#include <gmock/gmock-matchers.h>
#include <isoplane/nal/loopback.hh>
#include <isoplane/nal/unanswered.hh>

#include "nal_test.hh"

namespace isoplane::test {

namespace {

using testing::ElementsAre;

class UnansweredTest : public testing::Test {
  protected:
    void SetUp() override { ASSERT_EQ(ni_.open(1), Status::kOk); }

    static Header request(MessageType type, Bits bits, Size length = 0) {
        return {.type = type,
                .target = {1, 5},
                .initiator = {0, 1},
                .match_bits = bits,
                .md = 3,
                .length = length};
    }
    void ask(MessageType type, Bits bits, bool in_one_frame = true) {
        asked_.add(ni_, request(type, bits), in_one_frame);
    }
    void answer(MessageType type, Bits bits, Size length = 0) {
        Header header = request(type, bits, length);
        std::swap(header.target, header.initiator);
        asked_.answered(header);
    }
    std::vector<Bits> left() const {
        std::vector<Bits> all;
        asked_.for_each([&all](Interface&, const Header& header) { all.push_back(header.match_bits); });
        return all;
    }

    nal::Loopback nal_{0};
    Interface ni_{0, nal_, Options{}};
    nal::Unanswered asked_;
};

}  // namespace

TEST_F(UnansweredTest, is_what_has_no_answer_yet) {
    ask(MessageType::kGet, 1);
    ask(MessageType::kPut, 2);
    ask(MessageType::kGetPut, 3);
    EXPECT_THAT(left(), ElementsAre(1, 2, 3));
    answer(MessageType::kReply, 1);
    answer(MessageType::kReply, 2);  // it is not for a reply
    EXPECT_THAT(left(), ElementsAre(2, 3));
    answer(MessageType::kAck, 2);
    answer(MessageType::kReply, 3);
    EXPECT_THAT(left(), ElementsAre());
}

TEST_F(UnansweredTest, does_not_keep_a_put_that_has_no_ack) {
    ask(MessageType::kGet, 1);
    ask(MessageType::kPut, 2);
    ask(MessageType::kGet, 3);
    ask(MessageType::kPut, 4);
    answer(MessageType::kReply, 3);
    EXPECT_THAT(left(), ElementsAre(1, 4));
}

TEST_F(UnansweredTest, is_long_for_longer) {
    ask(MessageType::kPut, 1, false);
    ask(MessageType::kPut, 2);
    ask(MessageType::kPut, 3, false);
    answer(MessageType::kAck, 2);
    EXPECT_THAT(left(), ElementsAre(1, 3));
    answer(MessageType::kAck, 3);
    EXPECT_THAT(left(), ElementsAre(1));
}

TEST_F(UnansweredTest, is_the_last_of_more_than_it_may_be) {
    for (Bits bits = 0; bits <= nal::Unanswered::kMost; ++bits)
        ask(MessageType::kGet, bits);
    EXPECT_EQ(left().size(), nal::Unanswered::kMost);
    EXPECT_EQ(left().front(), 1U);
}

/// All else may be the same.
TEST_F(UnansweredTest, is_of_a_length) {
    asked_.add(ni_, request(MessageType::kPut, 1, 5000), false);
    asked_.add(ni_, request(MessageType::kPut, 1, 8), true);
    answer(MessageType::kAck, 1, 5000);
    ask(MessageType::kGet, 2);
    answer(MessageType::kReply, 2);  // passes the short one over
    EXPECT_THAT(left(), ElementsAre());
    asked_.add(ni_, request(MessageType::kPut, 1, 5000), false);
    asked_.add(ni_, request(MessageType::kPut, 1, 8), true);
    answer(MessageType::kAck, 1, 8);
    EXPECT_THAT(left(), ElementsAre(1));
}

TEST_F(UnansweredTest, has_no_puts_when_it_has_left) {
    ask(MessageType::kPut, 1);
    ask(MessageType::kGet, 2);
    ask(MessageType::kPut, 3, false);
    asked_.forget_puts();
    EXPECT_THAT(left(), ElementsAre(2));
}

TEST_F(UnansweredTest, is_not_of_an_interface_that_has_closed) {
    ask(MessageType::kGet, 1);
    asked_.forget(ni_);
    EXPECT_THAT(left(), ElementsAre());
}

}  // namespace isoplane::test
