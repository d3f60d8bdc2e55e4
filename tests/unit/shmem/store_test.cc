// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include <isoplane/shmem/hit_buffer.hh>
#include <isoplane/shmem/store.hh>
#include <isoplane/topology/builders.hh>

namespace isoplane::shmem {

namespace {

using wire::AccessCode;
using Words = std::vector<std::uint32_t>;

Pages pages_of_first(const topology::Paths& paths) {
    return {topology::parse_shmem_map("0: 0, 1;\n1: 1;\n"), paths, 0, {.pages = 4, .page_words = 16}};
}

/// The store of host 0 of two; page 1 is at the other.
struct Copy {
    topology::Topology topology = topology::single_switch(2);
    topology::Paths paths{topology};
    Pages pages = pages_of_first(paths);
    Store store{pages};

    void execute(NodeId issuer, AccessCode code, Address at, std::uint16_t words, const Words& operands,
                 std::uint32_t ticket = 0) {
        std::vector<std::byte> bytes(4 * operands.size());
        for (std::size_t i = 0; i < operands.size(); ++i)
            wire::Field<std::uint32_t, 0>::put(bytes.data() + 4 * i, operands[i]);
        store.execute(issuer, {code, words, at, ticket, bytes});
    }
    /// What was answered since the last call, by ticket.
    std::vector<std::pair<std::uint32_t, Words>> answers() {
        std::vector<std::pair<std::uint32_t, Words>> all;
        for (const Store::Answer& answer : store.answers())
            all.emplace_back(answer.ticket,
                             Words(answer.values.begin(), answer.values.begin() + answer.words));
        store.answers_taken();
        return all;
    }
    using Answers = std::vector<std::pair<std::uint32_t, Words>>;
};

}  // namespace

TEST(Pages, a_word_is_on_the_page_that_division_says) {
    const topology::Topology topology = topology::single_switch(2);
    const topology::Paths paths(topology);
    for (const std::uint32_t words : {2U, 6U, 1000U, 1024U, 65534U, 0x7ffffffeU}) {
        const Pages pages(topology::ShmemMap(), paths, 0, {.pages = 2, .page_words = words});
        for (const Address base : {0U, words, 0x10000U, 0x7fffffffU, 0xffff0000U, UINT32_MAX - 2})
            for (const Address at : {base, base + 1, base + 2, base - base % words - 1}) {
                EXPECT_EQ(pages.page_of(at), at / words) << at << " of " << words;
                EXPECT_EQ(pages.word_of(at), at % words) << at << " of " << words;
            }
    }
}

TEST(Pages, refuse_a_memory_that_cannot_be_and_say_what_can) {
    const topology::Topology topology = topology::single_switch(2);
    const topology::Paths paths(topology);
    const auto refusal = [&](const std::string& map, const Extent& extent) -> std::string {
        try {
            const Pages pages(topology::parse_shmem_map(map), paths, 0, extent);
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "nothing";
    };
    EXPECT_EQ(refusal("0: 0;\n", {.pages = 1, .page_words = 2}), "nothing");
    for (const std::uint32_t words : {0U, 7U})
        EXPECT_EQ(refusal("", {.pages = 1, .page_words = words}).find("a page of " + std::to_string(words)),
                  0U);
    EXPECT_NE(refusal("", {.pages = 3, .page_words = 0x80000000}).find("are more than 2^32: give fewer"),
              std::string::npos);
    EXPECT_EQ(refusal("2-5: 0;\n", {.pages = 5, .page_words = 16}),
              "page 5 is beyond the shared memory, which has 5: use a lower one, or make it larger");
}

TEST(Store, a_read_waits_for_the_version_that_it_met) {
    Copy copy;
    copy.execute(1, AccessCode::kSched, 3, 1, {7});
    copy.execute(0, AccessCode::kRead, 3, 1, {0}, 1);
    copy.execute(1, AccessCode::kWrite, 3, 1, {6});
    copy.execute(0, AccessCode::kRead, 3, 1, {0}, 2);
    EXPECT_EQ(copy.answers(), (Copy::Answers{{2, {6}}}));
    copy.execute(1, AccessCode::kAssign, 3, 1, {1, 7, 9});
    EXPECT_EQ(copy.answers(), (Copy::Answers{{1, {9}}}));
    EXPECT_EQ(copy.store.word(3), 6U);
    EXPECT_EQ(copy.store.blocked(), 0U);
}

TEST(Pages, what_a_lost_host_held_is_at_others_or_nowhere) {
    const topology::Topology topology = topology::single_switch(3);
    const topology::Paths paths(topology);
    Pages pages(topology::parse_shmem_map("0: 1, 2;\n1: 1;\n2: 0, 1;\n"), paths, 0,
                {.pages = 3, .page_words = 16});
    pages.lose(pages.page(0).nearest);
    EXPECT_TRUE(pages.page(0).mapped);
    pages.lose(pages.page(0).nearest);
    EXPECT_FALSE(pages.page(0).mapped);
    EXPECT_FALSE(pages.page(16).mapped);
    EXPECT_TRUE(pages.page(32).mapped);
    EXPECT_EQ(pages.page(32).nearest, 0);
    pages.regain(2);
    EXPECT_TRUE(pages.page(0).mapped);
    EXPECT_EQ(pages.page(0).nearest, 2);
    EXPECT_FALSE(pages.page(16).mapped);
}

TEST(Store, what_makes_no_sense_of_a_copy_leaves_nothing_behind) {
    Copy copy;
    copy.execute(1, AccessCode::kSched, 3, 2, {7});
    copy.execute(0, AccessCode::kAdd, 3, 1, {1}, 2);
    std::vector<std::uint32_t> numbers;
    copy.store.add_open(0, numbers);
    Copy made;
    const auto is_refused = [&](std::vector<std::uint32_t> told) {
        return !made.store.take_open(0, told) && made.store.has_value(3) && made.store.has_value(4) &&
               made.store.blocked() == 0;
    };
    const auto with = [&](std::size_t at, std::uint32_t value) {
        std::vector<std::uint32_t> told = numbers;
        told[at] = value;
        return told;
    };
    const std::size_t access = 1 + 4 * std::size_t{numbers[0]};
    for (std::size_t size = 0; size < numbers.size(); ++size) {
        if (size == access) continue;  // only that nobody waits
        const std::vector<std::uint32_t> part(numbers.begin(),
                                              numbers.begin() + static_cast<std::ptrdiff_t>(size));
        EXPECT_TRUE(is_refused(part)) << size;
    }
    EXPECT_TRUE(is_refused(with(1, 1U << 20))) << "a version of a word elsewhere";
    EXPECT_TRUE(is_refused(with(access, 1))) << "a read";
    EXPECT_TRUE(is_refused(with(access, numbers[access] | 0x100))) << "no access that there is";
    EXPECT_TRUE(is_refused(with(access + 1, 0))) << "of no word";
    EXPECT_TRUE(is_refused(with(access + 1, 0x10001))) << "of many words";
    EXPECT_TRUE(is_refused(with(access + 2, 1U << 20))) << "of words elsewhere";
    EXPECT_TRUE(is_refused(with(access + 13, 99))) << "it waits for a version that is not open";
    std::vector<std::uint32_t> waits_for_none = with(access + 12, 0);
    waits_for_none[access + 13] = 0;
    EXPECT_TRUE(is_refused(waits_for_none));
    EXPECT_TRUE(made.store.take_open(0, numbers));
    EXPECT_EQ(made.store.blocked(), 1U);
}

TEST(Store, a_copy_made_while_words_wait_for_values_ends_as_the_other) {
    Copy copy;
    copy.execute(0, AccessCode::kWrite, 2, 4, {5, 6, 7, 8});
    copy.execute(1, AccessCode::kSched, 3, 1, {7});
    copy.execute(0, AccessCode::kRead, 3, 1, {0}, 1);
    copy.execute(0, AccessCode::kAdd, 3, 1, {1}, 2);
    copy.execute(1, AccessCode::kCompareSwap, 2, 2, {5, 10, 20, 21}, 3);
    copy.execute(1, AccessCode::kSched, 4, 1, {8});
    copy.execute(1, AccessCode::kWrite, 4, 1, {30});
    EXPECT_EQ(copy.answers(), (Copy::Answers{}));

    Copy made;
    std::vector<std::uint32_t> numbers;
    copy.store.add_open(0, numbers);
    const auto words = copy.store.words_of(copy.pages.page(0));
    std::ranges::copy(words, made.store.words_of(made.pages.page(0)).begin());
    ASSERT_TRUE(made.store.take_open(0, numbers));
    EXPECT_FALSE(made.store.has_value(3));
    EXPECT_FALSE(made.store.take_open(0, {})) << "not even how many there are";
    for (Copy* each : {&copy, &made}) {
        each->execute(0, AccessCode::kSwap, 3, 1, {40}, 4);
        each->execute(1, AccessCode::kAssign, 3, 1, {1, 7, 9});
        each->execute(1, AccessCode::kAssign, 4, 1, {1, 8, 31});
        EXPECT_EQ(each->store.blocked(), 0U);
        for (Address at = 0; at < 16; ++at) {
            EXPECT_TRUE(each->store.has_value(at));
            EXPECT_EQ(each->store.word(at), copy.store.word(at)) << at;
        }
    }
    EXPECT_EQ(copy.store.word(2), 20U);
    EXPECT_EQ(copy.store.word(3), 40U);
    EXPECT_EQ(copy.store.word(4), 30U);
    EXPECT_EQ(made.answers(), (Copy::Answers{{4, {21}}})) << "what was asked before is answered there";
}

TEST(Store, what_a_lost_host_had_scheduled_has_the_value_from_before) {
    Copy copy;
    copy.execute(0, AccessCode::kWrite, 4, 2, {5, 6});
    copy.execute(1, AccessCode::kSched, 4, 1, {7});
    copy.execute(0, AccessCode::kRead, 4, 2, {0}, 1);
    copy.execute(0, AccessCode::kAdd, 4, 1, {1}, 2);
    copy.execute(0, AccessCode::kRead, 4, 1, {0}, 3);
    copy.execute(0, AccessCode::kSched, 5, 1, {1});
    copy.execute(0, AccessCode::kRead, 5, 1, {0}, 4);
    EXPECT_EQ(copy.answers(), (Copy::Answers{}));
    copy.store.lose(1);
    Copy::Answers lost = copy.answers();
    std::ranges::sort(lost);
    EXPECT_EQ(lost, (Copy::Answers{{1, {}}, {2, {}}, {3, {}}}));
    EXPECT_TRUE(copy.store.has_value(4));
    EXPECT_EQ(copy.store.word(4), 5U);
    EXPECT_FALSE(copy.store.has_value(5)) << "this host still is to assign it";
    copy.execute(0, AccessCode::kAssign, 5, 1, {0, 1, 9});
    EXPECT_EQ(copy.answers(), (Copy::Answers{{4, {9}}}));
    EXPECT_EQ(copy.store.blocked(), 0U);
}

TEST(Store, all_that_wait_for_a_version_are_answered_time_and_again) {
    Copy copy;
    for (std::uint32_t round = 1; round <= 3; ++round) {
        for (const Address at : {3U, 5U}) {
            copy.execute(1, AccessCode::kSched, at, 1, {round});
            for (std::uint32_t reader = 1; reader <= 4; ++reader)
                copy.execute(0, AccessCode::kRead, at, 1, {0}, 10 * at + reader);
        }
        EXPECT_TRUE(copy.answers().empty());
        for (const Address at : {3U, 5U}) {
            copy.execute(1, AccessCode::kAssign, at, 1, {1, round, round + at});
            Copy::Answers answers = copy.answers();
            std::ranges::sort(answers);
            Copy::Answers expected;
            for (std::uint32_t reader = 1; reader <= 4; ++reader)
                expected.push_back({10 * at + reader, {round + at}});
            EXPECT_EQ(answers, expected) << "in round " << round;
        }
        EXPECT_EQ(copy.store.blocked(), 0U);
    }
}

TEST(Store, another_host_may_assign) {
    Copy copy;
    copy.execute(1, AccessCode::kSched, 3, 1, {7});
    copy.execute(0, AccessCode::kAssign, 3, 1, {1, 7, 9});
    EXPECT_EQ(copy.store.word(3), 9U);
    EXPECT_TRUE(copy.store.has_value(3));
}

TEST(Store, an_assign_without_a_sched_is_dropped) {
    Copy copy;
    copy.execute(1, AccessCode::kSched, 3, 1, {7});
    copy.execute(1, AccessCode::kAssign, 3, 1, {1, 8, 5});
    EXPECT_FALSE(copy.store.has_value(3));
    copy.execute(1, AccessCode::kAssign, 3, 1, {1, 7, 9});
    copy.execute(1, AccessCode::kAssign, 3, 1, {1, 7, 5});
    EXPECT_EQ(copy.store.word(3), 9U);
    EXPECT_EQ(copy.store.counters().dropped.get(), 2U);
}

TEST(Store, an_assign_of_64_bits_completes_a_sched_of_32) {
    Copy copy;
    copy.execute(0, AccessCode::kWrite, 4, 2, {1, 2});
    copy.execute(1, AccessCode::kSched, 4, 1, {7});
    copy.execute(0, AccessCode::kRead, 4, 2, {0}, 1);
    copy.execute(0, AccessCode::kAdd, 4, 2, {1, 1}, 2);
    copy.execute(0, AccessCode::kRead, 4, 2, {0}, 3);
    EXPECT_TRUE(copy.answers().empty());
    copy.execute(1, AccessCode::kAssign, 4, 2, {1, 7, 8, 9});
    auto answers = copy.answers();
    std::sort(answers.begin(), answers.end());
    EXPECT_EQ(answers, (Copy::Answers{{1, {8, 9}}, {2, {8, 9}}, {3, {9, 10}}}));
    EXPECT_EQ(copy.store.word(4), 9U);
    EXPECT_EQ(copy.store.word(5), 10U);
    EXPECT_EQ(copy.store.blocked(), 0U);
}

TEST(Store, an_assign_of_64_bits_leaves_what_was_written_since) {
    Copy copy;
    copy.execute(1, AccessCode::kSched, 4, 1, {7});
    copy.execute(0, AccessCode::kWrite, 4, 2, {5, 6});
    copy.execute(1, AccessCode::kAssign, 4, 2, {1, 7, 8, 9});
    EXPECT_EQ(copy.store.word(4), 5U);
    EXPECT_EQ(copy.store.word(5), 6U);
}

TEST(Store, a_chain_of_changes_waits_for_what_it_begins_with) {
    constexpr std::uint32_t kChain = 100'000;  // no stack is so deep
    Copy copy;
    copy.execute(1, AccessCode::kSched, 3, 1, {7});
    for (std::uint32_t i = 0; i < kChain; ++i)
        copy.execute(0, AccessCode::kAdd, 3, 1, {2});
    copy.execute(0, AccessCode::kRead, 3, 1, {0}, 1);
    EXPECT_TRUE(copy.answers().empty());
    copy.execute(1, AccessCode::kAssign, 3, 1, {1, 7, 10});
    EXPECT_EQ(copy.answers(), (Copy::Answers{{1, {10 + 2 * kChain}}}));
    EXPECT_EQ(copy.store.word(3), 10 + 2 * kChain);
}

TEST(Store, changes_of_64_bits_carry_over) {
    Copy copy;
    copy.execute(0, AccessCode::kWrite, 4, 2, {1, 0xffffffff});
    copy.execute(0, AccessCode::kAdd, 4, 2, {0, 1}, 1);
    EXPECT_EQ(copy.answers(), (Copy::Answers{{1, {1, 0xffffffff}}}));
    copy.execute(0, AccessCode::kCompareSwap, 4, 2, {2, 1, 9, 9}, 2);
    EXPECT_EQ(copy.store.word(4), 2U);
    copy.execute(0, AccessCode::kCompareSwap, 4, 2, {2, 0, 9, 9}, 3);
    EXPECT_EQ(copy.store.word(4), 9U);
    EXPECT_EQ(copy.answers(), (Copy::Answers{{2, {2, 0}}, {3, {2, 0}}}));
}

TEST(Store, what_is_not_here_is_refused) {
    Copy copy;
    copy.execute(1, AccessCode::kWrite, 16, 1, {1});
    copy.execute(1, AccessCode::kWrite, 15, 2, {1, 1});
    copy.execute(1, AccessCode::kWrite, 4'000'000'000, 1, {1});
    EXPECT_EQ(copy.store.counters().misplaced.get(), 3U);
    EXPECT_EQ(copy.store.word(15), 0U);
}

TEST(HitBuffer, a_marker_lets_its_isochron_go_and_the_local_ones_behind_it) {
    HitBuffer hits;
    std::vector<std::size_t> sizes;
    const auto execute = [&](std::span<const std::byte> accesses) { sizes.push_back(accesses.size()); };
    const std::array<std::byte, 8> bytes{};
    hits.push(std::span(bytes).first(1), true);
    hits.push(std::span(bytes).first(2), false);
    hits.push(std::span(bytes).first(3), true);
    hits.pop(execute);
    EXPECT_EQ(sizes, (std::vector<std::size_t>{1, 2}));
    hits.pop(execute);
    EXPECT_EQ(sizes, (std::vector<std::size_t>{1, 2, 3}));
    EXPECT_TRUE(hits.empty());
}

}  // namespace isoplane::shmem
