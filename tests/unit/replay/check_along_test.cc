// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include "checked.hh"

namespace isoplane::test {
namespace {

wire::IsotachHeader third() {
    return {.pulse = 6, .host = 0, .isochron = 3, .count = 3};
}

/// Token 2 of the token manager 2, which host 0 is, announces a message to host 1.
std::vector<Bytes> announced() {
    auto frames = good();
    frames.push_back(data(0, 1, 2, along(2, 1, 1)));
    frames.push_back(data(0, 1, 3, ordered(third()) + in_short(2)));
    return frames;
}

std::string token_changes(unsigned number) {
    return "token " + std::to_string(number) + " from node 2 to node 1 says something else";
}

}  // namespace

TEST(CheckerAlong, knows_what_a_token_in_short_says) {
    auto frames = announced();
    frames.push_back(token(2, 1, 2, {{.source = 0, .destination = 1, .value = 3}}));
    frames.push_back(token(2, 1, 1));
    EXPECT_FALSE(found_in(frames)) << "they were sent again";
    frames.push_back(token(2, 1, 2, {{.source = 0, .destination = 1, .value = 4}}));
    expect_found(frames, frames.size(), token_changes(2));
}

TEST(CheckerAlong, one_that_is_not_right_behind_a_message_announces_nothing) {
    auto frames = announced();
    frames.back() = data(0, 1, 3, ordered(third()) + words("between") + in_short(2));
    frames.push_back(token(2, 1, 2));
    EXPECT_FALSE(found_in(frames));
    frames.push_back(token(2, 1, 2, {{.source = 0, .destination = 1, .value = 3}}));
    expect_found(frames, frames.size(), token_changes(2));
}

/// As in a trace that begins in the middle.
TEST(CheckerAlong, reads_those_in_front_of_the_first_whole_one_with_it) {
    auto frames = announced();
    std::swap(frames[frames.size() - 2], frames.back());
    frames.push_back(token(2, 1, 2));
    expect_found(frames, frames.size(), token_changes(2));
    frames.erase(frames.end() - 2);
    EXPECT_FALSE(found_in(frames)) << "without that nobody knows which it is";
}

}  // namespace isoplane::test
