// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Requests whose answers take long, and whose nodes, or programs, end.

#include <gtest/gtest.h>

#include "pair.hh"

namespace isoplane::test {

namespace {

using active::Call;
using active::Refusal;
using active::Word;
using noniso::PeerState;
using namespace std::chrono_literals;

unsigned ended = 0;

void note_end(active::Active&, const Call&) {
    ++ended;
}
void give_back(active::Active& at, const Call& call) {
    EXPECT_EQ(at.reply_transfer(call.source, call.data, call.words[0], note_end, 0), Refusal::kNone);
}

class Lives : public testing::Test {
  protected:
    Lives() { ended = 0; }

    static Word address_of(std::vector<std::byte>& memory) { return reinterpret_cast<Word>(memory.data()); }
    /// There is room for one message of either a while, again and again.
    void go_slowly(std::size_t messages) {
        for (std::size_t i = 0; i < messages; ++i, now_ += 90ms) {
            pair.near[0].room = pair.near[1].room = 1;
            pair.poll(now_);
            pair.look(now_);
        }
    }
    void have_an_answer_wait() {
        ASSERT_TRUE(pair[0].transfer(1, here, address_of(there), give_back, address_of(here)));
        pair.near[1].room = 2;
        pair.poll();
        ASSERT_TRUE(pair[1].waiting());
    }

    Pair pair{{.depth = 4, .limit = 1s}};
    std::vector<std::byte> here = std::vector<std::byte>(5000);
    std::vector<std::byte> there = std::vector<std::byte>(5000);

  private:
    runtime::Time now_{1s};
};

TEST_F(Lives, a_request_is_not_given_up_while_its_data_moves) {
    for (unsigned i = 0; i < 2; ++i)
        ASSERT_TRUE(pair[0].transfer(1, here, address_of(there), note_end, 0));
    go_slowly(100);
    EXPECT_EQ(ended, 2U);
    EXPECT_EQ(pair[0].counters().failed.get(), 0U);
}

/// Of which one waits for the other.
TEST_F(Lives, nor_while_data_comes_that_was_asked_for) {
    for (unsigned i = 0; i < 2; ++i)
        ASSERT_TRUE(pair[0].get(1, address_of(there), here, note_end, 0));
    pair.poll();
    go_slowly(100);
    EXPECT_EQ(ended, 2U);
    EXPECT_EQ(pair[0].counters().failed.get(), 0U);
}

TEST_F(Lives, an_answer_waits_no_longer_than_its_requester_is_there) {
    have_an_answer_wait();
    pair.near[1].peer = PeerState::kUnknown;
    for (auto now = runtime::Time{1s}; now < runtime::Time{2s}; now += 100ms, pair[1].poll(now))
        EXPECT_TRUE(pair[1].waiting()) << "it may only not be known yet";
    pair[1].poll(runtime::Time{2100ms});
    EXPECT_FALSE(pair[1].waiting());
}

TEST_F(Lives, an_answer_is_not_for_the_next_life_of_its_requester) {
    have_an_answer_wait();
    pair.near[0].inbox.clear();
    pair.near[1].life = 2;
    pair.near[1].room = 1000;
    pair[1].poll({});
    EXPECT_TRUE(pair.near[0].inbox.empty());
    EXPECT_FALSE(pair[1].waiting());
}

TEST_F(Lives, a_node_that_was_up_is_not_waited_for) {
    pair.near[0].peer = PeerState::kUnknown;
    EXPECT_EQ(pair[0].request(1, note_end, {}).refusal, Refusal::kFull) << "it may come";
    pair.near[0].peer = PeerState::kUp;
    EXPECT_TRUE(pair[0].request(1, note_end, {}));
    pair.near[0].peer = PeerState::kUnknown;
    EXPECT_EQ(pair[0].request(1, note_end, {}).refusal, Refusal::kDead);
    pair.near[0].peer = PeerState::kHeard;
    EXPECT_EQ(pair[0].request(1, note_end, {}).refusal, Refusal::kFull) << "it comes again";
}

/// As exit() does not return from it.
void leave(active::Active& at, const Call&) {
    at.end_handler();
    EXPECT_EQ(at.poll({}), 1U) << "it serves the next";
}

TEST_F(Lives, a_program_that_ends_within_a_handler_still_acknowledges_and_serves) {
    ASSERT_TRUE(pair[0].request(1, leave, {}));
    ASSERT_TRUE(pair[0].request(1, note_end, {}));
    pair[1].poll({});
    EXPECT_EQ(ended, 1U);
    pair[0].poll({});
    EXPECT_EQ(pair[0].open(), 0U);
}

}  // namespace

}  // namespace isoplane::test
