// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <nlohmann/json.hpp>

#include "hosts.hh"

namespace isoplane::test {

TEST(Buckets, are_empty_when_nothing_waits) {
    Hosts hosts(topology::line(1, 2));
    EXPECT_TRUE(hosts[1].isotach.ordering().buckets().empty());
}

TEST(Buckets, hold_what_has_come_before_its_pulse_has_ended) {
    Hosts hosts(topology::line(1, 3));
    ASSERT_TRUE(hosts[0].send({2}));
    ASSERT_TRUE(hosts[0].send({2, 2}));
    const isotach::Ordering& ordering = hosts[2].isotach.ordering();
    ASSERT_NE(hosts.stations.steps_until([&] { return ordering.waiting() == 3; }, 100), UINT_MAX);
    std::uint32_t waiting = 0;
    for (const isotach::Bucket& bucket : ordering.buckets()) {
        EXPECT_EQ(bucket.host, 0);
        EXPECT_GT(bucket.pulse, ordering.executed());
        EXPECT_EQ(bucket.missing, 0U);
        waiting += bucket.waiting;
    }
    EXPECT_EQ(waiting, 3U);
    hosts.run(1ms);
    EXPECT_TRUE(ordering.buckets().empty());
    hosts[2].release(hosts[2].receive());
    hosts.run(1ms);
}

TEST(Buckets, say_whose_messages_a_pulse_waits_for) {
    Hosts hosts(topology::line(1, 3));
    isotach::Isotach& there = hosts[2].isotach;
    // As if a token had announced two messages that have yet to come.
    there.siu().announcements().push({there.ordering().executed() + 1, 1, 2});
    there.siu().want(true);
    hosts.run(1ms);
    const auto buckets = there.ordering().buckets();
    ASSERT_EQ(buckets.size(), 1U);
    EXPECT_EQ(buckets[0].pulse, there.ordering().executed() + 1);
    EXPECT_EQ(buckets[0].host, 1);
    EXPECT_EQ(buckets[0].missing, 2U);
    nlohmann::json report;
    there.describe_buckets(report);
    EXPECT_EQ(report[0]["missing"], 2);

    there.siu().want(false);
    ASSERT_TRUE(hosts[1].send({2}));
    ASSERT_TRUE(hosts[1].send({2}));
    hosts.run(1ms);
    EXPECT_TRUE(there.ordering().buckets().empty());
    hosts[2].release(hosts[2].receive());
    hosts.run(1ms);
}

TEST(Buckets, tell_what_a_host_has_sent_itself_from_what_others_have) {
    Hosts hosts(topology::line(1, 2));
    ASSERT_TRUE(hosts[0].send({0, 1, 0}));
    nlohmann::json report;
    hosts[0].isotach.describe(report);
    EXPECT_EQ(report["hit_queue"], 2);
    EXPECT_EQ(report["outstanding"], 1);
    hosts.run(1ms);
    EXPECT_EQ(hosts[0].isotach.ordering().hit_queue(), 0U);
    hosts[0].release(hosts[0].receive());
    hosts[1].release(hosts[1].receive());
    hosts.run(1ms);
}

TEST(Ordering, waits_for_what_was_announced_across_the_wrap_of_counts) {
    Hosts hosts(topology::line(1, 3));
    ASSERT_TRUE(hosts[0].send({2}));
    hosts.run(1ms);
    hosts[2].release(hosts[2].receive());
    siu::Siu& siu = hosts[2].siu;
    ASSERT_GT(siu.ended(), 1U);
    ASSERT_TRUE(siu.announcements().empty());
    isotach::Ordering ordering(siu, 2, hosts[2].niu.options().nodes);
    isotach::Ordering::Source& source = ordering.source(1);
    source.announced = source.received = 0xfffffffe;
    siu.announcements().push({1, 1, 1});
    std::size_t executed = 0;
    const auto advance = [&] {
        return ordering.advance(
            [&](auto& messages, isotach::Pulse) {
                for (; !messages.empty(); messages.pop())
                    ++executed;
            },
            [](const isotach::Marker&) {}, [](isotach::Pulse) {});
    };
    for (const std::uint32_t count : {0xffffffffU, 0U, 1U}) {
        EXPECT_EQ(advance(), 0U);
        EXPECT_EQ(ordering.behind(), 1U);
        EXPECT_TRUE(ordering.received(source, count, {.time = {1, isotach::Place::kWithin, 1, 0}}));
    }
    EXPECT_EQ(ordering.behind(), 0U);
    EXPECT_GT(advance(), 0U);
    EXPECT_EQ(executed, 3U);
    hosts.run(1ms);
}

/// Of hosts whose tokens come along with messages no count is announced.
TEST(Ordering, waits_for_nothing_however_many_came_unannounced) {
    Hosts hosts(topology::line(1, 3));
    isotach::Ordering ordering(hosts[2].siu, 2, hosts[2].niu.options().nodes);
    isotach::Ordering::Source& source = ordering.source(1);
    for (const std::uint32_t count : {0x70000000U, 0xe0000000U, 0x50000000U}) {
        source.received = count - 1;
        EXPECT_TRUE(ordering.received(source, count, {.time = {1, isotach::Place::kWithin, 1, 0}}));
        EXPECT_EQ(ordering.behind(), 0U);
        EXPECT_FALSE(source.behind());
    }
}

TEST(Counters, begin_anew_when_they_are_cleared) {
    Hosts hosts(topology::line(1, 3));
    isotach::Isotach& here = hosts[0].isotach;
    const auto isochrons = [&] {
        nlohmann::json report;
        here.describe(report);
        return report["isochrons"];
    };
    ASSERT_TRUE(hosts[0].send({2}));
    hosts.run(1ms);
    EXPECT_EQ(isochrons(), 1);
    here.clear_counters();
    EXPECT_EQ(isochrons(), 0);
    ASSERT_TRUE(hosts[0].send({2}));
    hosts.run(1ms);
    EXPECT_EQ(isochrons(), 1);
    hosts[2].release(hosts[2].receive());
    hosts.run(1ms);
    for (unsigned i = 0; i < 3; ++i)
        ASSERT_TRUE(here.send(2, bytes(8, i)));
    EXPECT_EQ(isochrons(), 4);
    here.clear_counters();
    hosts.run(1ms);
    EXPECT_EQ(isochrons(), 0) << "what was issued before";
    hosts[2].release(hosts[2].receive());
}

}  // namespace isoplane::test
