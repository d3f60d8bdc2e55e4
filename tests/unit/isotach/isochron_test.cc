// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "hosts.hh"

namespace isoplane::test {

namespace {

using isotach::Delivery;
using isotach::Isochron;
using isotach::Place;

/// The message of each, as it was written by send().
std::vector<unsigned> starts_of(const std::vector<Delivery>& deliveries) {
    std::vector<unsigned> starts;
    for (const Delivery& delivery : deliveries) {
        starts.push_back(std::to_integer<unsigned>(delivery.data.front()));
        EXPECT_EQ(Bytes(delivery.data.begin(), delivery.data.end()),
                  bytes(delivery.data.size(), starts.back()));
    }
    return starts;
}

}  // namespace

TEST(Isochron, holds_short_messages_without_a_packet_and_long_ones_in_theirs) {
    Isochron isochron(station_pool());
    EXPECT_TRUE(isochron.empty());
    const unsigned before = station_pool().in_use();
    ASSERT_TRUE(isochron.add(0, Isochron::kCopied));
    ASSERT_TRUE(isochron.add(0, 0));
    EXPECT_EQ(station_pool().in_use(), before);
    const auto room = isochron.add(1, Isochron::kCopied + 1);
    ASSERT_TRUE(room);
    EXPECT_EQ(room->size(), Isochron::kCopied + 1);
    EXPECT_EQ(station_pool().in_use(), before + 1);
    EXPECT_EQ(isochron.size(), 3U);
    isochron.clear();
    EXPECT_TRUE(isochron.empty());
    EXPECT_EQ(station_pool().in_use(), before);
}

TEST(Isochron, gives_back_what_was_added_last) {
    Isochron isochron(station_pool());
    ASSERT_TRUE(isochron.add(0, bytes(10)));
    ASSERT_TRUE(isochron.add(0, bytes(Isochron::kCopied + 1)));
    isochron.drop_last();
    EXPECT_EQ(station_pool().in_use(), 0U);
    ASSERT_TRUE(isochron.add(0, bytes(10)));
    isochron.drop_last();
    EXPECT_EQ(isochron.size(), 1U);
    isochron.drop_last();
    EXPECT_TRUE(isochron.empty());
}

TEST(Isochron, goes_without_what_was_taken_out) {
    Hosts hosts(topology::line(3, 1));
    for (const NodeId left : {NodeId{1}, NodeId{2}}) {
        Isochron isochron = hosts[0].isotach.isochron();
        for (const NodeId to : {NodeId{1}, NodeId{2}})
            ASSERT_TRUE(isochron.add(to, bytes(20, to)));
        isochron.drop_if([&](NodeId to, wire::Operation) { return to != left; });
        ASSERT_TRUE(hosts[0].isotach.send(isochron));
        hosts.run(1ms);
        const auto deliveries = hosts[left].receive();
        ASSERT_EQ(deliveries.size(), 1U);
        EXPECT_EQ(deliveries.front().data.size(), 20U);
        EXPECT_EQ(starts_of(deliveries), std::vector<unsigned>{left});
        hosts[left].release(deliveries);
    }
}

TEST(Isochron, has_room_for_what_is_larger_than_a_packet_but_not_for_what_no_message_can_be) {
    Isochron isochron(station_pool());
    const auto room = isochron.add(0, 1'000'000);
    ASSERT_TRUE(room);
    EXPECT_EQ(room->size(), 1'000'000U);
    EXPECT_FALSE(isochron.add(0, std::size_t{1} << 32));
    EXPECT_EQ(isochron.size(), 1U);
    EXPECT_EQ(station_pool().in_use(), 0U);
}

TEST(Isochron, comes_to_all_its_hosts_at_one_pulse_with_its_messages_together_in_their_order) {
    Hosts hosts(topology::line(3, 1));
    Isochron isochron = hosts[0].isotach.isochron();
    const std::vector<NodeId> to{2, 1, 0, 2, 0, 1};
    for (unsigned i = 0; i < to.size(); ++i)
        ASSERT_TRUE(isochron.add(to[i], bytes(20, i)));
    const auto clock = hosts[0].siu.clock();
    ASSERT_TRUE(hosts[0].isotach.send(isochron));
    EXPECT_TRUE(isochron.empty());
    EXPECT_EQ(hosts[0].isotach.outstanding(), 1U);
    hosts.run(1ms);
    EXPECT_EQ(hosts[0].isotach.outstanding(), 0U);
    for (NodeId host = 0; host < 3; ++host) {
        const auto deliveries = hosts[host].receive();
        ASSERT_EQ(deliveries.size(), 2U);
        for (const Delivery& delivery : deliveries) {
            const unsigned part = std::to_integer<unsigned>(delivery.data.front());
            EXPECT_EQ(to[part], host);
            EXPECT_EQ(delivery.time.pulse, clock + hosts[0].siu.greatest_distance());
            EXPECT_EQ(delivery.time.place, Place::kWithin);
            EXPECT_EQ(delivery.time.host, 0);
            EXPECT_EQ(delivery.time.rank, part);
            EXPECT_EQ(delivery.isochron, 0U);
        }
        EXPECT_LT(deliveries[0].time.rank, deliveries[1].time.rank);
        hosts[host].release(deliveries);
    }
    hosts.run(1ms);
}

TEST(Isochron, messages_of_one_are_never_between_those_of_another) {
    Hosts hosts(topology::single_switch(3));
    for (unsigned i = 0; i < 20; ++i) {
        for (NodeId host = 0; host < 3; ++host)
            ASSERT_TRUE(hosts[host].send({2, 1, 2, 1}, i));
        hosts.stations.step();
    }
    hosts.run(2ms);
    const auto at_1 = hosts[1].receive();
    const auto at_2 = hosts[2].receive();
    ASSERT_EQ(at_1.size(), 120U);
    ASSERT_EQ(at_2.size(), 120U);
    for (std::size_t i = 0; i < at_1.size(); ++i) {
        EXPECT_EQ(at_1[i].time.pulse, at_2[i].time.pulse);
        EXPECT_EQ(at_1[i].time.host, at_2[i].time.host);
        EXPECT_EQ(at_1[i].isochron, at_2[i].isochron);
        if (i != 0) {
            EXPECT_LT(at_1[i - 1].time, at_1[i].time);
        }
        if (i % 2 == 1) {
            EXPECT_EQ(at_1[i - 1].isochron, at_1[i].isochron);
            EXPECT_EQ(at_1[i - 1].time.host, at_1[i].time.host);
        }
    }
    hosts[1].release(at_1);
    hosts[2].release(at_2);
    hosts.run(1ms);
}

TEST(Isochron, empty_or_too_large_never_goes) {
    Hosts hosts(topology::single_switch(2), {.isotach = {.max_message = 10'000}});
    isotach::Isotach& isotach = hosts[0].isotach;
    Isochron isochron = isotach.isochron();
    EXPECT_FALSE(isotach.send(isochron));
    const std::size_t most = isotach.max_message(1);
    ASSERT_EQ(most, 10'000U);
    ASSERT_TRUE(isochron.add(1, bytes(most + 1)));
    EXPECT_FALSE(isotach.fits(isochron));
    EXPECT_FALSE(isotach.send(isochron));
    EXPECT_EQ(isochron.size(), 1U);
    isochron.clear();
    ASSERT_TRUE(isochron.add(1, bytes(most)));
    EXPECT_TRUE(isotach.fits(isochron));
    EXPECT_TRUE(isotach.send(isochron));
    hosts.run(1ms);
    hosts[1].release(hosts[1].receive());
    hosts.run(1ms);
}

TEST(Isochron, fits_when_the_credit_of_each_of_its_hosts_could_hold_it) {
    Hosts hosts(topology::single_switch(3), {.niu = {.window = 16}});
    isotach::Isotach& isotach = hosts[0].isotach;
    const unsigned frames = hosts[0].niu.most_frames(1);
    ASSERT_GT(frames, 4U);
    Isochron isochron = isotach.isochron();
    for (unsigned i = 0; i < frames; ++i) {
        ASSERT_TRUE(isochron.add(1, bytes(1000)));
        ASSERT_TRUE(isochron.add(2, bytes(1000)));
    }
    EXPECT_TRUE(isotach.fits(isochron));
    ASSERT_TRUE(isochron.add(2, bytes(1000)));
    EXPECT_FALSE(isotach.fits(isochron));
    EXPECT_FALSE(isotach.send(isochron));
    isochron.clear();
    // Short ones share frames, so there may be more of them.
    for (unsigned i = 0; i < 4 * frames; ++i)
        ASSERT_TRUE(isochron.add(1, bytes(100)));
    EXPECT_TRUE(isotach.fits(isochron));
    EXPECT_TRUE(isotach.send(isochron));
    hosts.run(1ms);
    EXPECT_EQ(hosts[1].isotach.counters().executed.get(), 4U * frames);
    hosts[1].release(hosts[1].receive());
    hosts.run(1ms);
}

TEST(Isochron, fits_when_the_host_itself_could_keep_its_own_messages) {
    Hosts hosts(topology::single_switch(2));
    isotach::Isotach& isotach = hosts[0].isotach;
    Isochron isochron = isotach.isochron();
    for (unsigned i = 0; i < isotach.most_frames(); ++i)
        ASSERT_TRUE(isochron.add(0, bytes(1)));
    EXPECT_TRUE(isotach.fits(isochron));
    ASSERT_TRUE(isochron.add(0, bytes(1)));
    EXPECT_FALSE(isotach.fits(isochron));
}

TEST(Isochron, to_its_own_host_takes_no_more_packets_than_leave_enough_for_others) {
    Hosts hosts(topology::single_switch(2));
    std::size_t sent = 0;
    while (sent < 2 * station_pool().size() && hosts[0].send({0}))
        ++sent;
    EXPECT_EQ(sent, hosts[0].isotach.most_frames());
    ASSERT_TRUE(hosts[1].send({0, 1}));
    hosts.run(5ms);
    const auto own = hosts[1].receive();
    EXPECT_EQ(own.size(), 1U) << "time does not stand still";
    hosts[1].release(own);
    auto deliveries = hosts[0].receive();
    EXPECT_EQ(deliveries.size(), sent + 1);
    EXPECT_FALSE(hosts[0].send({0}));
    hosts[0].release(deliveries);
    EXPECT_TRUE(hosts[0].send({0}));
    deliveries = hosts[0].receive();
    hosts[0].release(deliveries);
    hosts.run(1ms);
}

TEST(Isochron, to_a_host_without_credit_is_kept_and_goes_whole_later) {
    Hosts hosts(topology::single_switch(3), {.niu = {.window = 16}});
    isotach::Isotach& isotach = hosts[0].isotach;
    // Host 1 keeps what it is sent until its credit is used up.
    unsigned kept = 0;
    for (; hosts[0].send({1}, 0, 1000); ++kept)
        hosts.run(50us);
    ASSERT_GT(kept, 4U);
    hosts.run(2ms);
    const auto sent = isotach.counters().messages_sent();
    Isochron isochron = isotach.isochron();
    ASSERT_TRUE(isochron.add(2, bytes(30, 1)));
    ASSERT_TRUE(isochron.add(1, bytes(1000, 2)));
    ASSERT_TRUE(isochron.add(0, bytes(30, 3)));
    ASSERT_TRUE(isochron.add(2, bytes(900, 4)));
    EXPECT_TRUE(isotach.fits(isochron));
    for (int tries = 0; tries < 20; ++tries) {
        EXPECT_FALSE(isotach.send(isochron));
        hosts.run(100us);
    }
    EXPECT_EQ(isochron.size(), 4U);
    EXPECT_EQ(isotach.counters().messages_sent(), sent);
    EXPECT_EQ(isotach.next_isochron(), kept);
    EXPECT_EQ(isotach.outstanding(), 0U);
    EXPECT_FALSE(hosts[2].isotach.waiting());
    // What goes to others alone is not held up.
    EXPECT_TRUE(hosts[0].send({2}, 9));
    hosts[1].release(hosts[1].receive());
    ASSERT_NE(hosts.stations.steps_until([&] { return isotach.send(isochron); }), UINT_MAX);
    EXPECT_TRUE(isochron.empty());
    hosts.run(2ms);
    const std::vector<std::vector<unsigned>> expected{{3}, {2}, {9, 1, 4}};
    for (NodeId host = 0; host < 3; ++host) {
        const auto deliveries = hosts[host].receive();
        EXPECT_EQ(starts_of(deliveries), expected[host]);
        hosts[host].release(deliveries);
    }
    hosts.run(1ms);
}

TEST(Isochron, no_more_than_the_most_are_outstanding) {
    Hosts hosts(topology::single_switch(2), {.isotach = {.most_outstanding = 3}});
    for (int i = 0; i < 3; ++i)
        EXPECT_TRUE(hosts[0].send({1}));
    EXPECT_FALSE(hosts[0].send({1}));
    EXPECT_EQ(hosts[0].isotach.outstanding(), 3U);
    EXPECT_EQ(hosts[0].isotach.counters().held_back.get(), 1U);
    hosts.run(1ms);
    EXPECT_EQ(hosts[0].isotach.outstanding(), 0U);
    EXPECT_TRUE(hosts[0].send({1}));
    hosts.run(1ms);
    hosts[1].release(hosts[1].receive());
    hosts.run(1ms);
}

TEST(Isochron, of_one_message_need_not_be_made) {
    Hosts hosts(topology::single_switch(2));
    isotach::Isotach& isotach = hosts[0].isotach;
    const std::size_t large = isotach.most_in_frame(1) + 1;
    ASSERT_TRUE(isotach.send(1, bytes(8, 1)));
    ASSERT_TRUE(hosts[0].send({1}, 2));
    ASSERT_TRUE(isotach.send(1, bytes(large - 1, 3)));
    hosts.run(1ms);
    ASSERT_TRUE(isotach.send(1, bytes(large, 4)));
    ASSERT_TRUE(isotach.send(0, bytes(8, 5)));
    hosts.run(2ms);
    const auto there = hosts[1].receive();
    EXPECT_EQ(starts_of(there), (std::vector<unsigned>{1, 2, 3, 4}));
    for (unsigned i = 0; i < there.size(); ++i)
        EXPECT_EQ(there[i].isochron, i);
    EXPECT_EQ(there[2].data.size(), large - 1);
    EXPECT_EQ(there[3].data.size(), large);
    const auto here = hosts[0].receive();
    EXPECT_EQ(starts_of(here), (std::vector<unsigned>{5}));
    EXPECT_EQ(isotach.counters().isochrons.get(), 5U);
    EXPECT_EQ(isotach.counters().messages_sent(), 5U);
    EXPECT_EQ(isotach.outstanding(), 0U);
    hosts[1].release(there);
    hosts[0].release(here);
    hosts.run(1ms);
}

TEST(Isochron, of_one_message_goes_whole_or_not_at_all) {
    Hosts hosts(topology::single_switch(2), {.isotach = {.most_outstanding = 2}});
    isotach::Isotach& isotach = hosts[0].isotach;
    const std::size_t large = isotach.most_in_frame(1) + 1;
    ASSERT_TRUE(isotach.send(1, bytes(8, 1)));
    ASSERT_TRUE(isotach.send(1, bytes(8, 2)));
    EXPECT_FALSE(isotach.send(1, bytes(8, 3)));
    EXPECT_FALSE(isotach.send(1, bytes(large, 3)));
    EXPECT_EQ(isotach.counters().held_back.get(), 2U);
    EXPECT_EQ(isotach.next_isochron(), 2U);
    hosts.run(1ms);
    EXPECT_TRUE(isotach.send(1, bytes(8, 3)));
    hosts.run(1ms);
    const auto there = hosts[1].receive();
    EXPECT_EQ(starts_of(there), (std::vector<unsigned>{1, 2, 3}));
    hosts[1].release(there);
    hosts.run(1ms);
}

TEST(Isochron, to_its_own_host_alone_is_executed_at_once) {
    Hosts hosts(topology::single_switch(2));
    ASSERT_TRUE(hosts[0].send({0, 0}, 5));
    auto deliveries = hosts[0].receive();
    EXPECT_EQ(starts_of(deliveries), (std::vector<unsigned>{5, 6}));
    EXPECT_EQ(deliveries[0].time.place, Place::kAfter);
    EXPECT_LT(deliveries[0].time, deliveries[1].time);
    EXPECT_EQ(hosts[0].isotach.outstanding(), 0U);
    hosts[0].release(deliveries);
    // The next comes later, at the same pulse or not.
    const auto before = deliveries[1].time;
    ASSERT_TRUE(hosts[0].send({0}, 7));
    deliveries = hosts[0].receive();
    ASSERT_EQ(deliveries.size(), 1U);
    EXPECT_LT(before, deliveries[0].time);
    hosts[0].release(deliveries);
}

TEST(Isochron, to_its_own_host_alone_waits_for_those_issued_before_it) {
    Hosts hosts(topology::single_switch(2));
    ASSERT_TRUE(hosts[0].send({1, 0}, 1));
    ASSERT_TRUE(hosts[0].send({0}, 3));
    EXPECT_FALSE(hosts[0].isotach.waiting());
    EXPECT_EQ(hosts[0].isotach.outstanding(), 1U);
    hosts.run(1ms);
    const auto deliveries = hosts[0].receive();
    EXPECT_EQ(starts_of(deliveries), (std::vector<unsigned>{2, 3}));
    EXPECT_EQ(deliveries[1].time.pulse, deliveries[0].time.pulse);
    EXPECT_EQ(deliveries[1].isochron, 1U);
    hosts[0].release(deliveries);
    hosts[1].release(hosts[1].receive());
    hosts.run(1ms);
}

TEST(Isochron, short_messages_share_frames) {
    Hosts hosts(topology::single_switch(2));
    const auto frames = hosts[0].niu.counters().frames_sent.get();
    for (unsigned i = 0; i < 10; ++i)
        ASSERT_TRUE(hosts[0].send({1, 1}, i));
    hosts.stations.step();
    EXPECT_EQ(hosts[0].niu.counters().frames_sent.get() - frames, 1U);
    hosts.run(1ms);
    hosts[1].release(hosts[1].receive());
    hosts.run(1ms);
}

TEST(Isochron, messages_may_be_released_in_any_order_and_stay_as_they_are_until_then) {
    Hosts hosts(topology::single_switch(2), {.niu = {.window = 16}});
    std::vector<Delivery> kept;
    unsigned released = 0;
    for (unsigned i = 0; i < 200; ++i) {
        ASSERT_NE(hosts.stations.steps_until([&] {
            return hosts[0].send({1, 1}, i % 250, i % 2 != 0 ? 20 : 700);
        }),
                  UINT_MAX);
        hosts.run(50us);
        for (const Delivery& delivery : hosts[1].receive())
            kept.push_back(delivery);
        for (; kept.size() > 4; ++released) {
            const auto one = kept.begin() + static_cast<std::ptrdiff_t>(released * 7 % kept.size());
            starts_of({*one});
            hosts[1].isotach.release(*one);
            kept.erase(one);
        }
    }
    EXPECT_EQ(released + kept.size(), 400U);
    hosts[1].release(kept);
    hosts.run(1ms);
}

TEST(Isochron, nothing_is_sent_before_there_is_a_time) {
    Stations stations(topology::single_switch(2));
    Host host(stations.niu(0), stations.paths(), {});
    EXPECT_FALSE(host.send({0}));
    EXPECT_FALSE(host.send({1}));
}

TEST(Isochron, what_was_not_received_is_freed_with_the_host) {
    Hosts hosts(topology::single_switch(2));
    ASSERT_TRUE(hosts[0].send({0, 1}, 0, 600));
    ASSERT_TRUE(hosts[0].send({0, 1}));
    hosts.run(1ms);
    EXPECT_EQ(hosts[0].isotach.discard(), 2U);
    EXPECT_EQ(hosts[0].isotach.discard(), 0U);
    // And of host 1 by its end, which Stations looks at.
}

}  // namespace isoplane::test
