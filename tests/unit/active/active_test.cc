// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <numeric>

#include "pair.hh"

namespace isoplane::test {

namespace {

using active::Call;
using active::Failure;
using active::Reason;
using active::Refusal;
using active::RequestState;
using active::Word;
using namespace std::chrono_literals;

/// What the handlers of a test have seen.
struct Seen {
    unsigned requests = 0;
    unsigned replies = 0;
    Call last{};
};
Seen seen;

void note_reply(active::Active&, const Call& call) {
    ++seen.replies;
    seen.last = call;
}
void echo(active::Active& at, const Call& call) {
    ++seen.requests;
    seen.last = call;
    at.reply(call.source, note_reply, call.words);
}
void swallow(active::Active&, const Call& call) {
    ++seen.requests;
    seen.last = call;
}
/// Sends back what it was given, from memory that changes at once.
void mirror(active::Active& at, const Call& call) {
    std::vector<std::byte> copy(call.data.begin(), call.data.end());
    EXPECT_EQ(at.reply_transfer(call.source, copy, call.words[0], note_reply, 7), Refusal::kNone);
    std::fill(copy.begin(), copy.end(), std::byte{});
}

Word address_of(const std::vector<std::byte>& data) {
    return reinterpret_cast<Word>(data.data());
}

std::vector<std::byte> counting(std::size_t size) {
    std::vector<std::byte> data(size);
    for (std::size_t i = 0; i < size; ++i)
        data[i] = static_cast<std::byte>(i * 7);
    return data;
}

class ActiveTest : public testing::Test {
  protected:
    ActiveTest() { seen = {}; }

    Failure next_failure(active::Active& program) {
        Failure failure;
        EXPECT_TRUE(program.next_failure(failure));
        return failure;
    }

    Pair pair{{.depth = 4, .limit = 1s}};
};

}  // namespace

TEST_F(ActiveTest, a_request_runs_its_handler_and_a_reply_the_requesters) {
    const auto request = pair[0].request(1, echo, {1, 2, 3, ~Word{0}});
    ASSERT_TRUE(request);
    EXPECT_EQ(pair[0].state(request), RequestState::kOpen);
    pair[1].poll({});
    EXPECT_EQ(seen.requests, 1U);
    EXPECT_EQ(seen.last.source, 0);
    pair[0].poll({});
    EXPECT_EQ(seen.replies, 1U);
    EXPECT_EQ(seen.last.source, 1);
    EXPECT_EQ(seen.last.words, (active::Words{1, 2, 3, ~Word{0}}));
    EXPECT_EQ(pair[0].state(request), RequestState::kOver);
    EXPECT_EQ(pair[0].open(), 0U);
}

TEST_F(ActiveTest, what_is_not_replied_to_is_acknowledged) {
    ASSERT_TRUE(pair[0].request(1, swallow, {}));
    pair.poll();
    pair.poll();
    EXPECT_EQ(pair[1].counters().acknowledgements.get(), 1U);
    EXPECT_EQ(pair[0].counters().answered.get(), 1U);
    EXPECT_EQ(pair[0].open(), 0U);
}

TEST_F(ActiveTest, a_request_more_than_the_depth_is_refused_until_one_is_answered) {
    for (unsigned i = 0; i < 4; ++i)
        EXPECT_TRUE(pair[0].request(1, echo, {}));
    EXPECT_EQ(pair[0].request(1, echo, {}).refusal, Refusal::kFull);
    EXPECT_EQ(pair[0].counters().requests.get(), 4U);
    pair[1].poll({});
    pair[0].poll({});
    EXPECT_TRUE(pair[0].request(1, echo, {}));
}

TEST_F(ActiveTest, data_of_any_size_goes_where_it_is_to_be) {
    for (const std::size_t size : {0U, 1U, 156U, 157U, 1000U}) {
        const auto data = counting(size);
        std::vector<std::byte> there(size);
        ASSERT_TRUE(pair[0].transfer(1, data, address_of(there), swallow, 5));
        pair[1].poll({});
        EXPECT_EQ(there, data);
        EXPECT_EQ(seen.last.data.size(), size);
        EXPECT_EQ(seen.last.words[0], 5U);
        pair[0].poll({});
    }
    EXPECT_EQ(seen.requests, 5U);
}

TEST_F(ActiveTest, data_is_got_without_a_handler_there) {
    const auto data = counting(1000);
    std::vector<std::byte> here(1000);
    ASSERT_TRUE(pair[0].get(1, address_of(data), here, note_reply, 9));
    pair.poll();
    pair.poll();
    EXPECT_EQ(here, data);
    EXPECT_EQ(seen.last.words[0], 9U);
    EXPECT_EQ(seen.last.data.data(), here.data());
}

TEST_F(ActiveTest, an_answer_waits_for_room_and_keeps_what_it_is_to_say) {
    const auto data = counting(1000);
    std::vector<std::byte> there(1000);
    std::vector<std::byte> back(1000);
    ASSERT_TRUE(pair[0].transfer(1, data, address_of(there), mirror, address_of(back)));
    for (pair.near[1].room = 2; seen.replies == 0; ++pair.near[1].room)
        pair.poll();
    EXPECT_EQ(back, data);
    EXPECT_EQ(pair[1].counters().late.get(), 1U);
    EXPECT_FALSE(pair[1].waiting());
}

TEST_F(ActiveTest, a_request_to_this_node_is_done_when_it_returns) {
    const auto data = counting(100);
    std::vector<std::byte> there(100);
    std::vector<std::byte> back(100);
    EXPECT_TRUE(pair[0].request(0, echo, {4}));
    EXPECT_EQ(seen.replies, 1U);
    EXPECT_TRUE(pair[0].transfer(0, data, address_of(there), mirror, address_of(back)));
    EXPECT_EQ(back, data);
    EXPECT_TRUE(pair[0].get(0, address_of(data), there, note_reply, 0));
    EXPECT_EQ(seen.replies, 3U);
    EXPECT_EQ(pair[0].open(), 0U);
}

TEST_F(ActiveTest, what_can_never_be_is_refused_and_changes_nothing) {
    static int data;
    EXPECT_EQ(pair[0].reply(1, note_reply, {}), Refusal::kNoRequest);
    EXPECT_EQ(pair[0].request(2, echo, {}).refusal, Refusal::kNoSuchNode);
    EXPECT_EQ(pair[0].request(1, {&data, active::Convention::kPlain}, {}).refusal, Refusal::kNoSuchCode);
    pair.near[0].peer = noniso::PeerState::kDead;
    EXPECT_EQ(pair[0].request(1, echo, {}).refusal, Refusal::kDead);
    EXPECT_EQ(pair[0].open(), 0U);
    EXPECT_TRUE(pair.near[1].inbox.empty());
}

TEST_F(ActiveTest, a_request_fails_after_the_limit_and_a_late_answer_gives_its_slot_back) {
    pair.look(runtime::Time{1s});
    const auto request = pair[0].request(1, echo, {});
    pair.look(runtime::Time{100s});  // it has computed
    for (auto now = runtime::Time{100s + 100ms}; now < runtime::Time{101s}; now += 100ms)
        pair.look(now);
    EXPECT_EQ(pair[0].state(request), RequestState::kOpen);
    pair.look(runtime::Time{101s});
    const Failure failure = next_failure(pair[0]);
    EXPECT_EQ(failure.request, request);
    EXPECT_EQ(failure.reason, Reason::kSilent);
    EXPECT_EQ(pair[0].state(request), RequestState::kOver);
    for (unsigned i = 0; i < 3; ++i)
        EXPECT_TRUE(pair[0].request(1, swallow, {}));
    EXPECT_EQ(pair[0].request(1, swallow, {}).refusal, Refusal::kFull);
    pair.poll();
    pair.poll();
    EXPECT_EQ(seen.replies, 0U);
    for (unsigned i = 0; i < 4; ++i)
        EXPECT_TRUE(pair[0].request(1, swallow, {}));
}

/// The other was stopped as well, and has not answered yet.
TEST_F(ActiveTest, a_request_does_not_fail_for_the_time_in_which_nobody_ran) {
    const auto request = pair[0].request(1, echo, {});
    pair.look(runtime::Time{1s});
    pair.look(runtime::Time{101s});
    EXPECT_EQ(pair[0].state(request), RequestState::kOpen);
    pair[1].poll(runtime::Time{101s});
    pair[0].poll(runtime::Time{101s});
    EXPECT_EQ(seen.replies, 1U);
    EXPECT_EQ(pair[0].counters().failed.get(), 0U);
}

TEST_F(ActiveTest, a_request_fails_with_the_life_of_its_node) {
    ASSERT_TRUE(pair[0].request(1, echo, {}));
    pair.near[0].life = 2;
    pair.look();
    EXPECT_EQ(next_failure(pair[0]).reason, Reason::kLost);
    EXPECT_EQ(pair[0].open(), 0U);
    pair.poll();
    pair.poll();
    EXPECT_EQ(seen.replies, 0U);
    EXPECT_EQ(pair[0].counters().stray.get(), 1U);
}

TEST_F(ActiveTest, a_handler_of_another_build_is_an_error_and_is_not_called) {
    const auto code = reinterpret_cast<std::uintptr_t>(&echo);
    pair.images[1] = active::Images({{.id = 1, .base = code - 16, .begin = code - 16, .end = code + 16}});
    std::vector<std::byte> there(1000);
    ASSERT_TRUE(pair[0].request(1, echo, {}));
    ASSERT_TRUE(pair[0].transfer(1, counting(1000), address_of(there), echo, 0));
    pair.poll();
    pair.poll();
    EXPECT_EQ(next_failure(pair[0]).reason, Reason::kUnknownCode);
    EXPECT_EQ(next_failure(pair[0]).reason, Reason::kUnknownCode);
    EXPECT_EQ(seen.requests, 0U);
    EXPECT_EQ(there, std::vector<std::byte>(1000));
    EXPECT_EQ(pair[1].counters().refused.get(), 2U);
}

TEST_F(ActiveTest, data_of_this_node_itself_to_or_from_where_there_is_no_memory_is_an_error) {
    active::MemoryMap memory;
    pair[0].check_with(&memory);
    auto data = counting(1000);
    const Word nowhere = 16;
    EXPECT_TRUE(pair[0].transfer(0, data, nowhere, swallow, 0));
    EXPECT_TRUE(pair[0].get(0, nowhere, data, note_reply, 0));
    std::vector<std::byte> there(1000);
    EXPECT_TRUE(pair[0].transfer(0, data, address_of(there), mirror, nowhere));
    for (unsigned i = 0; i < 3; ++i)
        EXPECT_EQ(next_failure(pair[0]).reason, Reason::kNoMemory);
    EXPECT_TRUE(pair[0].transfer(0, {}, nowhere, swallow, 0));
    EXPECT_EQ(pair[0].open(), 0U);
    EXPECT_EQ(seen.replies, 0U);
    EXPECT_EQ(seen.requests, 1U);
    const active::Counters& counters = pair[0].counters();
    EXPECT_EQ(counters.requests.get(), 4U);
    EXPECT_EQ(counters.failed.get(), 3U);
    EXPECT_EQ(counters.answered.get(), 1U);
}

TEST_F(ActiveTest, data_to_or_from_where_there_is_no_memory_is_an_error) {
    active::MemoryMap memory;
    pair[0].check_with(&memory);
    pair[1].check_with(&memory);
    auto data = counting(1000);
    static const std::byte constant[8]{};
    const Word nowhere = 16;
    EXPECT_TRUE(pair[0].transfer(1, data, nowhere, swallow, 0));
    EXPECT_TRUE(pair[0].transfer(1, data, ~Word{0}, swallow, 0));
    EXPECT_TRUE(pair[0].transfer(1, constant, reinterpret_cast<Word>(constant), swallow, 0));
    EXPECT_TRUE(pair[0].get(1, nowhere, data, note_reply, 0));
    pair.poll();
    pair.poll();
    for (unsigned i = 0; i < 4; ++i)
        EXPECT_EQ(next_failure(pair[0]).reason, Reason::kNoMemory);
    EXPECT_TRUE(pair[0].transfer(1, data, nowhere, mirror, nowhere));
    EXPECT_TRUE(pair[0].transfer(1, {}, nowhere, swallow, 0));
    std::vector<std::byte> there(1000);
    EXPECT_TRUE(pair[0].transfer(1, data, address_of(there), mirror, nowhere));
    pair.poll();
    pair.poll();
    EXPECT_EQ(next_failure(pair[0]).reason, Reason::kNoMemory);
    EXPECT_EQ(next_failure(pair[0]).reason, Reason::kNoMemory);
    EXPECT_EQ(pair[0].open(), 0U);
    EXPECT_EQ(seen.replies, 0U);
    EXPECT_EQ(seen.requests, 1U);
}

TEST_F(ActiveTest, a_call_in_no_known_way_is_refused) {
    ASSERT_TRUE(
        pair[0].request(1, {reinterpret_cast<const void*>(&echo), static_cast<active::Convention>(77)}, {}));
    pair.poll();
    pair.poll();
    EXPECT_EQ(next_failure(pair[0]).reason, Reason::kUnknownCode);
}

/// Answers that somebody has made up.
class ForgedAnswerTest : public ActiveTest {
  protected:
    ForgedAnswerTest() {
        EXPECT_TRUE(pair[0].request(1, echo, {}));
        pair[1].poll({});
        answer = pair.near[0].inbox.front();
        pair.near[0].inbox.clear();
    }
    template <typename Field>
    void forge(typename std::type_identity<decltype(Field::get(nullptr))>::type value) {
        std::vector<std::byte> forged = answer;
        Field::put(forged.data(), value);
        pair.near[0].inbox.push_back(forged);
        pair[0].poll({});
    }
    std::vector<std::byte> answer;
};

TEST_F(ForgedAnswerTest, only_the_one_to_the_request_is_taken) {
    namespace layout = wire::active_layout;
    forge<layout::Number>(77);
    forge<layout::Life>(77);
    forge<layout::Slot>(1);
    forge<layout::Slot>(40);
    EXPECT_EQ(pair[0].counters().stray.get(), 4U);
    forge<layout::Program>(77);
    EXPECT_EQ(pair[0].counters().foreign.get(), 1U);
    forge<layout::Type>(77);
    EXPECT_EQ(pair[0].counters().malformed.get(), 1U);
    EXPECT_EQ(seen.replies, 0U);
    EXPECT_EQ(pair[0].open(), 1U);
    pair.near[0].inbox.push_back(answer);
    pair.near[0].inbox.push_back(answer);
    pair.poll();
    EXPECT_EQ(seen.replies, 1U);
    EXPECT_EQ(pair[0].counters().stray.get(), 5U);
}

TEST_F(ForgedAnswerTest, a_handler_that_is_not_there_is_an_error) {
    forge<wire::active_layout::Offset>(0xffffffff);
    EXPECT_EQ(next_failure(pair[0]).reason, Reason::kUnknownCode);
    EXPECT_EQ(seen.replies, 0U);
}

TEST_F(ActiveTest, data_that_was_got_lands_nowhere_else) {
    const auto data = counting(8);
    std::vector<std::byte> here(8);
    std::vector<std::byte> elsewhere(8);
    ASSERT_TRUE(pair[0].get(1, address_of(data), here, note_reply, 0));
    pair[1].poll({});
    std::byte* const transfer = pair.near[0].inbox.front().data() + wire::kActiveHeaderSize;
    wire::active_transfer_layout::Address::put(transfer, address_of(elsewhere));
    pair[0].poll({});
    EXPECT_EQ(next_failure(pair[0]).reason, Reason::kProtocol);
    EXPECT_EQ(elsewhere, std::vector<std::byte>(8));
    EXPECT_EQ(seen.replies, 0U);
}

namespace {

Word given[5];

void plain(Word first, Word second, Word third, Word fourth) {
    given[1] = first;
    given[2] = second;
    given[3] = third;
    given[4] = fourth;
}
void with_source(int source, int first, int second, int third, int fourth) {
    given[0] = static_cast<Word>(source);
    plain(static_cast<Word>(first), static_cast<Word>(second), static_cast<Word>(third),
          static_cast<Word>(fourth));
}

}  // namespace

TEST_F(ActiveTest, handlers_are_called_as_c_calls_them) {
    ASSERT_TRUE(pair[0].request(1, {reinterpret_cast<const void*>(&plain), active::Convention::kPlain},
                                {5, 6, 7, 8}));
    pair.poll();
    EXPECT_EQ(std::accumulate(given + 1, given + 5, Word{0}), 26U);
    given[0] = 77;
    ASSERT_TRUE(pair[0].request(1, {reinterpret_cast<const void*>(&with_source), active::Convention::kSource},
                                {1, 2, 3, 4}));
    pair.poll();
    EXPECT_EQ(given[0], 0U);
    EXPECT_EQ(std::accumulate(given + 1, given + 5, Word{0}), 10U);
}

TEST(Active, refuses_options_that_cannot_be) {
    NearEndpoint near(0);
    active::Images images;
    EXPECT_THROW(active::Active(near, images, {.nodes = 2, .depth = 0}), std::invalid_argument);
    EXPECT_THROW(active::Active(near, images, {.nodes = 2, .depth = 65}), std::invalid_argument);
    EXPECT_THROW(active::Active(near, images, {.node = 2, .nodes = 2}), std::invalid_argument);
}

}  // namespace isoplane::test
