// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include "made_up.hh"

namespace isoplane::test {
namespace {

TEST(Story, knows_hosts_from_token_managers_by_their_tokens) {
    const Story story = ticking(2).story();
    ASSERT_EQ(story.nodes.size(), 3U);
    EXPECT_EQ(story.nodes[0].name, "alice");
    EXPECT_FALSE(story.nodes[1].manager);
    EXPECT_TRUE(story.nodes[2].manager);
}

TEST(Story, a_pulse_ends_at_a_host_when_its_token_is_in) {
    const Story story = ticking(3).story();
    const std::map<std::uint64_t, Time> ends{{1, 14us}, {2, 24us}, {3, 34us}};
    EXPECT_EQ(story.nodes[0].ends, ends);
    EXPECT_EQ(story.nodes[1].ends, ends);
    EXPECT_TRUE(story.nodes[2].ends.empty());
}

TEST(Story, a_token_in_parts_is_in_with_the_last_of_them) {
    Capture capture = ticking(1);
    capture.arrives(23us, capture.token(20us, kManager, 0, 2, 0, 1));
    EXPECT_FALSE(capture.story().nodes[0].ends.contains(2));
    capture.arrives(24us, capture.token(20us, kManager, 0, 2, 1, 1));
    EXPECT_EQ(capture.story().nodes[0].ends.at(2), 24us);
}

TEST(Story, a_fabric_and_its_nodes_tell_the_same) {
    Capture capture = ticking(2);
    capture.passes(capture.data(11us, 0, 1, {message(0, 1, 3)}));
    for (const Story& story : {capture.story(), capture.by_fabric().story()}) {
        ASSERT_EQ(story.messages.size(), 1U);
        EXPECT_EQ(story.messages[0].sent, 11us);
        EXPECT_EQ(story.messages[0].received, 13us);
        EXPECT_EQ(story.messages[0].fate, Fate::kArrived);
    }
}

TEST(Story, what_is_lost_and_sent_again_arrives_once) {
    Capture capture = ticking(2);
    const Sighting lost = capture.data(11us, 0, 1, {message(0, 1, 3)});
    capture.passes(capture.again(15us, lost));
    const Story story = capture.story();
    ASSERT_EQ(story.messages.size(), 2U);
    EXPECT_EQ(story.messages[0].fate, Fate::kNeverSeen);
    EXPECT_FALSE(story.messages[0].again);
    EXPECT_EQ(story.messages[1].fate, Fate::kArrived);
    EXPECT_TRUE(story.messages[1].again);
}

TEST(Story, a_duplicate_has_arrived_before) {
    Capture capture = ticking(2);
    const Sighting frame = capture.data(11us, 0, 1, {message(0, 1, 3)});
    capture.arrives(13us, frame);
    capture.arrives(14us, frame);
    const Story story = capture.story();
    ASSERT_EQ(story.messages.size(), 2U);
    EXPECT_EQ(story.messages[0].fate, Fate::kArrived);
    EXPECT_EQ(story.messages[1].fate, Fate::kRepeated);
    EXPECT_EQ(story.messages[1].sent, 11us);
}

TEST(Story, nothing_is_lost_where_nobody_looks) {
    Capture capture = ticking(2);
    capture.passes(capture.data(11us, 0, 1, {message(0, 1, 3)}));
    // As host 0 alone would capture it.
    const Story story = capture.without([](const Sighting& s) { return s.interface != 0; }).story();
    ASSERT_EQ(story.messages.size(), 1U);
    EXPECT_EQ(story.messages[0].fate, Fate::kArrived);
    EXPECT_EQ(story.messages[0].received, 11us);
    EXPECT_EQ(story.nodes[0].ends.size(), 2U);
}

TEST(Story, a_copy_that_a_fabric_sends_elsewhere_has_not_arrived) {
    Capture capture = ticking(2);
    Sighting frame = capture.data(11us, 0, 1, {message(0, 1, 3)});
    capture.astray(12us, frame, kManager);
    const Story story = capture.story();
    ASSERT_EQ(story.messages.size(), 1U);
    EXPECT_EQ(story.messages[0].fate, Fate::kNeverSeen);
}

}  // namespace
}  // namespace isoplane::test
