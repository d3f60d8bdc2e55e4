// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <isoplane/fabric/impairment.hh>
#include <isoplane/fabric/partition.hh>
#include <stdexcept>

namespace isoplane::test {

using fabric::Impairment;
using fabric::parse_impairment;
using fabric::parse_partition;
using fabric::Partition;
using namespace std::chrono_literals;

std::string refusal(std::string_view text) {
    try {
        parse_impairment(text);
    } catch (const std::invalid_argument& e) {
        return e.what();
    }
    return "accepted";
}

TEST(Impairment, reads_every_key) {
    const Impairment i = parse_impairment(
        "loss=0.01,dup=2%,reorder=0.5,corrupt=1,late=0.1%,after=5ms..1s,delay=5us,jitter=250ns,rate=1.5Gbit,"
        "queue=100,gap=7,hold=2ms,cut=on");
    EXPECT_EQ(i.loss, 0.01);
    EXPECT_EQ(i.duplicate, 0.02);
    EXPECT_EQ(i.reorder, 0.5);
    EXPECT_EQ(i.corrupt, 1);
    EXPECT_EQ(i.late, 0.001);
    EXPECT_EQ(i.after, (fabric::Span{5ms, 1s}));
    EXPECT_EQ(i.delay, 5us);
    EXPECT_EQ(i.jitter, 250ns);
    EXPECT_EQ(i.rate, 1'500'000'000U);
    EXPECT_EQ(i.queue, 100U);
    EXPECT_EQ(i.gap, 7U);
    EXPECT_EQ(i.hold, 2ms);
    EXPECT_TRUE(i.cut);
}

TEST(Impairment, is_harmless_by_default) {
    EXPECT_EQ(parse_impairment(""), Impairment{});
    EXPECT_TRUE(Impairment{}.harmless());
    for (const char* text : {"loss=0.1", "dup=0.1", "reorder=0.1", "corrupt=0.1", "late=0.1", "delay=1us",
                             "jitter=1us", "rate=1Mbit", "cut=on"})
        EXPECT_FALSE(parse_impairment(text).harmless()) << text;
}

TEST(Impairment, after_is_one_time_or_any_between_two) {
    EXPECT_EQ(parse_impairment("after=7ms").after, (fabric::Span{7ms, 7ms}));
    EXPECT_EQ(parse_impairment("after=0..7us").after, (fabric::Span{0ns, 7us}));
}

TEST(Impairment, sets_one_key_and_leaves_the_others) {
    Impairment i = parse_impairment("loss=0.5,delay=1ms");
    set_key(i, "loss", "0");
    EXPECT_EQ(i, parse_impairment("delay=1ms"));
}

TEST(Impairment, refuses_with_the_value_and_what_is_expected) {
    EXPECT_EQ(refusal("loss=1.5"),
              "the impairment loss cannot be '1.5': it takes a probability from 0 to 1, as 0.01 or 1%");
    EXPECT_EQ(refusal("los=1"),
              "there is no impairment 'los'; there are loss, dup, reorder, corrupt, late, after, delay, "
              "jitter, rate, "
              "queue, gap, hold, cut");
    EXPECT_EQ(
        refusal("after=5..200ms"),
        "the impairment after cannot be '5..200ms': it takes a time up to an hour with its unit, as 5ms, "
        "or the least and the most, as 5ms..200ms");
    EXPECT_NE(refusal("loss"), "accepted");
    EXPECT_NE(refusal("loss=0.1,,dup=0.1"), "accepted");
}

TEST(Impairment, refuses_values_that_make_no_sense) {
    for (const char* text : {"loss=",
                             "loss=-0.1",
                             "loss=nan",
                             "loss=101%",
                             "loss=0.1x",
                             "delay=5",
                             "delay=5m",
                             "delay=-1us",
                             "delay=inf",
                             "delay=2e9s",
                             "rate=1Tbit",
                             "rate=0.5",
                             "rate=-1",
                             "queue=0",
                             "queue=65537",
                             "queue=10 ",
                             "gap=0",
                             "gap=1025",
                             "hold=x",
                             "cut=maybe",
                             "=1",
                             "=",
                             "late=2",
                             "after=",
                             "after=5",
                             "after=5ms..",
                             "after=..5ms",
                             "after=2ms..1ms",
                             "after=1ms..2h",
                             "after=1ms...2ms",
                             "after=1ms..2ms..3ms"})
        EXPECT_NE(refusal(text), "accepted") << text;
}

TEST(Partition, groups_ports_and_leaves_the_others_together) {
    EXPECT_EQ(parse_partition("", 3), (Partition{0, 0, 0}));
    EXPECT_EQ(parse_partition("0,2|3", 5), (Partition{1, 0, 1, 2, 0}));
}

TEST(Partition, refuses_what_is_no_port_or_named_twice) {
    for (const char* text : {"4", "x", "0,,1", "0|0", "0,1|1", "-1", "0 ,1"})
        EXPECT_THROW(parse_partition(text, 4), std::invalid_argument) << text;
}

}  // namespace isoplane::test
