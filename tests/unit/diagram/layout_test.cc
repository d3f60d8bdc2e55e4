// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "diagram/layout.hh"

#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>

#include "diagram/svg.hh"
#include "made_up.hh"

namespace isoplane::test {
namespace {

using diagram::Arrow;
using diagram::Drawing;
using diagram::Wanted;
using diagram::Window;

Drawing drawn(const Capture& capture, const Wanted& wanted = {}) {
    const Story story = capture.story();
    return lay_out(story, choose_window(story, wanted, 0us), 0us);
}

/// Two isochrons, one of each host, executed at the end of pulse 3 by both hosts.
Capture exchange() {
    Capture capture = ticking(5);
    capture.passes(capture.data(15us, 0, 1, {message(0, 7, 3, 0), message(0, 7, 3, 1)}));
    capture.passes(capture.data(16us, 1, 0, {message(1, 9, 3)}));
    return capture;
}

TEST(Layout, nodes_are_lines_with_the_hosts_above) {
    const Drawing d = drawn(exchange());
    ASSERT_EQ(d.lanes.size(), 3U);
    EXPECT_EQ(d.lanes[0].label, "host 0 · alice");
    EXPECT_EQ(d.lanes[2].label, "TM 2");
    EXPECT_LT(d.lanes[1].y, d.lanes[2].y);
    EXPECT_LT(d.lanes[2].y, d.bottom);
    EXPECT_LT(d.bottom, d.height);
}

TEST(Layout, each_message_is_an_arrow_between_its_hosts) {
    const Drawing d = drawn(exchange());
    ASSERT_EQ(d.messages.size(), 3U);
    EXPECT_EQ(d.messages[0].from.y, d.lanes[0].y);
    EXPECT_EQ(d.messages[0].to.y, d.lanes[1].y);
    EXPECT_LT(d.messages[0].from.x, d.messages[0].to.x);
    EXPECT_EQ(d.messages[2].to.y, d.lanes[0].y);
}

TEST(Layout, messages_of_an_isochron_share_a_colour_and_lie_beside_each_other) {
    const Drawing d = drawn(exchange());
    EXPECT_EQ(d.messages[0].colour, d.messages[1].colour);
    EXPECT_NE(d.messages[0].colour, d.messages[2].colour);
    EXPECT_LT(d.messages[0].from.x, d.messages[1].from.x);
}

TEST(Layout, pulses_are_columns_in_turn_and_end_with_a_tick_at_each_host) {
    const Drawing d = drawn(exchange(), {.from = {}, .to = {}, .pulses = {{2, 4}}});
    ASSERT_GE(d.columns.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(d.columns[i].pulse, i + 2);
        EXPECT_EQ(d.columns[i].shaded, i % 2 == 0);
        EXPECT_TRUE(d.columns[i].labelled);
    }
    // The end of pulse 1, where the first column begins, and those of 2 to 4.
    EXPECT_EQ(d.ticks.size(), 2 * 4U);
}

TEST(Layout, what_is_executed_lies_on_the_end_of_its_pulse_in_the_order_of_all) {
    Capture capture = exchange();
    capture.passes(capture.data(17us, 1, 0, {message(1, 8, 3, 1)}));
    const Drawing d = drawn(capture);
    ASSERT_EQ(d.dots.size(), 4U);
    double end = 0;
    for (const auto& tick : d.ticks)
        if (tick.pulse == 3) end = tick.at.x;
    for (const auto& dot : d.dots)
        EXPECT_EQ(dot.at.x, end);
    EXPECT_GT(d.lanes[0].y, d.dots[0].at.y);
    EXPECT_GT(d.dots[0].at.y, d.dots[1].at.y) << "the first is lowest";
}

TEST(Layout, nothing_is_executed_before_it_has_arrived) {
    Capture capture = ticking(5);
    const diagram::Sighting lost = capture.data(15us, 0, 1, {message(0, 7, 3)});
    capture.passes(capture.again(45us, lost));
    const Drawing d = drawn(capture);
    ASSERT_EQ(d.dots.size(), 1U);
    ASSERT_EQ(d.messages.size(), 2U);
    EXPECT_EQ(d.messages[0].fate, Fate::kNeverSeen);
    EXPECT_LT(d.messages[0].to.y, d.lanes[1].y) << "it ends on its way";
    EXPECT_TRUE(d.messages[1].again);
    EXPECT_EQ(d.dots[0].at.x, d.messages[1].to.x);
}

TEST(Layout, a_long_rest_is_cut_short_and_says_so) {
    Capture capture = ticking(8);
    capture.passes(capture.token(1s, 0, kManager, 9));
    const Drawing d = drawn(capture);
    ASSERT_EQ(d.breaks.size(), 1U);
    EXPECT_EQ(d.breaks[0].text, "1e+03 ms");
    EXPECT_LT(d.width, 1500);
}

TEST(Layout, pulses_that_nobody_has_lived_to_see_are_not_looked_for) {
    constexpr std::uint64_t kFar = UINT64_MAX;
    Capture capture;
    for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{1}, kFar})
        capture.passes(capture.token((number % 10) * 10us, kManager, 0, number));
    const Drawing d = drawn(capture);
    ASSERT_EQ(d.ticks.size(), 3U);
    EXPECT_EQ(d.ticks.back().pulse, kFar);
}

TEST(Layout, acts_in_the_group_are_named_once) {
    Capture capture = ticking(3);
    diagram::Sighting token = capture.token(40us, 0, kManager, 4);
    capture.passes(token);
    Capture acting = ticking(3);
    token.token->group_word = 0x0401;
    acting.passes(token);
    EXPECT_TRUE(drawn(capture).acts.empty());
    ASSERT_EQ(drawn(acting).acts.size(), 1U);
    EXPECT_EQ(drawn(acting).acts[0].text, "signal 0, enter 0");
}

TEST(Window, a_long_capture_is_drawn_from_its_first_message_on) {
    Capture capture = ticking(500);
    for (unsigned i = 0; i < 200; ++i)
        capture.passes(capture.data(1005us + i * 10us, 0, 1, {message(0, i, 102 + i)}));
    const Story story = capture.story();
    const Window window = choose_window(story, {}, 0us);
    EXPECT_TRUE(window.shortened);
    ASSERT_TRUE(window.drawn);
    EXPECT_EQ(window.drawn->first, 101U);  // the message leaves after the end of pulse 100, at 1004 us
    EXPECT_EQ(window.drawn->second, 100U + diagram::kMostPulses);
    EXPECT_EQ(*window.all, (diagram::PulseRange{1, 500}));
}

TEST(Window, a_part_can_be_chosen) {
    const Story story = ticking(50).story();
    const Window pulses = choose_window(story, {.from = {}, .to = {}, .pulses = {{10, 20}}}, 0us);
    EXPECT_EQ(pulses.from, 94us);
    EXPECT_EQ(pulses.to, 204us);
    EXPECT_FALSE(pulses.shortened);
    const Window times = choose_window(story, {.from = 100us, .to = 210us, .pulses = {}}, 0us);
    EXPECT_EQ(*times.drawn, (diagram::PulseRange{10, 20}));
}

TEST(Window, a_part_in_which_nothing_happens_is_refused) {
    const Story story = ticking(5).story();
    EXPECT_THROW(choose_window(story, {.from = {}, .to = {}, .pulses = {{6, 9}}}, 0us), std::runtime_error);
    EXPECT_THROW(choose_window(story, {.from = 1s, .to = {}, .pulses = {}}, 0us), std::runtime_error);
}

TEST(Svg, what_nodes_call_themselves_is_text) {
    Drawing d = drawn(exchange());
    d.lanes[0].label = "<b>&";
    std::ostringstream out;
    write_svg(out, d);
    EXPECT_NE(out.str().find("&lt;b&gt;&amp;</text>"), std::string::npos);
}

}  // namespace
}  // namespace isoplane::test
