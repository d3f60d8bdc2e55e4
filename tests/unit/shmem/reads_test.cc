// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <isoplane/shmem/reads.hh>
#include <isoplane/shmem/schedules.hh>

namespace isoplane::shmem {

namespace {

wire::Answer answer(Reads::Ticket ticket, std::uint16_t offset, std::uint16_t words) {
    wire::Answer answer{.ticket = ticket, .offset = offset, .words = words};
    answer.values.fill(7);
    return answer;
}

Reads::Ticket issued(Reads& reads, std::uint32_t words) {
    const Reads::Ticket ticket = reads.open(words);
    reads.issue(ticket);
    return ticket;
}

std::vector<std::byte> message(const wire::Answer& answer) {
    std::vector<std::byte> message(wire::answer_size(answer.words));
    wire::encode_answer(message, answer);
    return message;
}

}  // namespace

TEST(Schedules, those_of_one_life_are_not_those_of_the_next) {
    Schedules before(7);
    Schedules after(8);
    EXPECT_NE(before.open(0, 1, 2), after.open(0, 1, 2));
}

TEST(Reads, a_read_of_a_lost_host_is_ready_and_lost) {
    Reads reads;
    const Reads::Ticket of_one = issued(reads, 1);
    reads.ask(of_one, 1);
    const Reads::Ticket of_two = issued(reads, 1);
    reads.ask(of_two, 2);
    reads.lose(1);
    EXPECT_TRUE(reads.ready(of_one) && reads.lost(of_one));
    EXPECT_FALSE(reads.ready(of_two) || reads.lost(of_two));
    EXPECT_EQ(reads.outstanding(), 1U);
}

TEST(Reads, there_are_no_more_than_have_names) {
    Reads reads(1);
    for (Reads::Ticket ticket = 1; ticket <= Reads::kMost; ++ticket)
        ASSERT_EQ(issued(reads, 1), ticket);
    EXPECT_EQ(reads.open(1), 0U);
    wire::Answer last = answer(Reads::kMost, 0, 1);
    last.ticket = reads.name(Reads::kMost);
    EXPECT_TRUE(reads.fill(last));
    EXPECT_TRUE(reads.ready(Reads::kMost));
    reads.drop(Reads::kMost);
    EXPECT_EQ(reads.open(1), Reads::kMost);
}

TEST(Reads, what_had_come_is_kept) {
    Reads reads;
    const Reads::Ticket ticket = issued(reads, 1);
    reads.ask(ticket, 1);
    EXPECT_TRUE(reads.fill(answer(ticket, 0, 1)));
    reads.lose(1);
    EXPECT_FALSE(reads.lost(ticket));
    EXPECT_EQ(reads.words(ticket)[0], 7U);
}

TEST(Reads, of_several_hosts_one_is_enough_and_words_of_the_others_spoil_nothing) {
    Reads reads;
    const Reads::Ticket ticket = issued(reads, 6);
    for (const NodeId host : {NodeId{1}, NodeId{2}, NodeId{3}})
        reads.ask(ticket, host);
    EXPECT_TRUE(reads.fill(answer(ticket, 0, 2)));
    reads.lose(2);
    EXPECT_TRUE(reads.lost(ticket));
    reads.drop(ticket);
    const Reads::Ticket next = issued(reads, 2);
    EXPECT_NE(next, ticket);
    EXPECT_TRUE(reads.fill(answer(ticket, 4, 2)));
    EXPECT_FALSE(reads.ready(next));
    EXPECT_EQ(reads.outstanding(), 1U);
}

TEST(Reads, a_variable_comes_in_one_message) {
    Reads reads(3);
    for (const std::uint16_t words : {std::uint16_t{1}, std::uint16_t{2}}) {
        const Reads::Ticket ticket = issued(reads, words);
        EXPECT_TRUE(reads.fill_variable(message(answer(reads.name(ticket), 0, words))));
        EXPECT_TRUE(reads.ready(ticket));
        EXPECT_EQ(reads.words(ticket).back(), 7U);
        EXPECT_FALSE(reads.fill_variable(message(answer(reads.name(ticket), 0, words)))) << "once";
    }
    EXPECT_EQ(reads.outstanding(), 0U);
}

TEST(Reads, what_is_not_all_of_a_variable_is_looked_at_closely) {
    Reads reads(3);
    const Reads::Ticket few = issued(reads, 2);
    const Reads::Ticket many = issued(reads, 3);
    const auto refuses = [&](const wire::Answer& answer) { return !reads.fill_variable(message(answer)); };
    EXPECT_TRUE(refuses(answer(reads.name(few), 0, 1))) << "a part";
    EXPECT_TRUE(refuses(answer(reads.name(few), 1, 2))) << "elsewhere";
    EXPECT_TRUE(refuses(answer(reads.name(few), 0, 0))) << "that it is lost";
    EXPECT_TRUE(refuses(answer(reads.name(many), 0, 3))) << "a block";
    EXPECT_TRUE(refuses(answer(few, 0, 2))) << "of another life";
    EXPECT_TRUE(refuses(answer(reads.name(many + 1), 0, 2))) << "nobody's";
    EXPECT_TRUE(refuses(answer(reads.name(0), 0, 2))) << "no ticket";
    const std::vector<std::byte> whole = message(answer(reads.name(few), 0, 2));
    for (std::size_t size = 0; size < whole.size(); ++size)
        EXPECT_FALSE(reads.fill_variable(std::span(whole).first(size))) << size;
    EXPECT_FALSE(reads.ready(few) || reads.ready(many));
    reads.drop(few);
    EXPECT_TRUE(refuses(answer(reads.name(few), 0, 2))) << "nobody wants it, so its place becomes free";
    EXPECT_TRUE(reads.fill(answer(reads.name(few), 0, 2)));
    EXPECT_EQ(reads.open(2), few);
}

TEST(Reads, what_was_never_issued_has_no_answer) {
    Reads reads;
    const Reads::Ticket ticket = reads.open(1);
    const auto refuses = [&] {
        return !reads.fill_variable(message(answer(ticket, 0, 1))) && !reads.fill(answer(ticket, 0, 1));
    };
    EXPECT_TRUE(refuses()) << "it has only been opened";
    reads.cancel(ticket);
    EXPECT_TRUE(refuses());
    EXPECT_EQ(reads.outstanding(), 0U);
    reads.drop(ticket);
    EXPECT_EQ(issued(reads, 1), ticket);
    EXPECT_NE(issued(reads, 1), ticket) << "its place is free once";
    EXPECT_FALSE(refuses());
}

TEST(Reads, an_answer_without_words_says_that_they_are_lost) {
    Reads reads;
    const Reads::Ticket ticket = issued(reads, 4);
    EXPECT_TRUE(reads.fill(answer(ticket, 0, 0)));
    EXPECT_TRUE(reads.ready(ticket) && reads.lost(ticket));
    EXPECT_EQ(reads.outstanding(), 0U);
}

TEST(Reads, one_that_was_never_issued_is_cancelled_though_its_host_is_lost) {
    Reads reads;
    const Reads::Ticket ticket = reads.open(1);
    reads.ask(ticket, 1);
    reads.lose(1);
    reads.cancel(ticket);
    reads.drop(ticket);
    EXPECT_EQ(reads.outstanding(), 0U);
}

}  // namespace isoplane::shmem
