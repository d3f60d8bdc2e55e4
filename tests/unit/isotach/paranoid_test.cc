// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "hosts.hh"

namespace isoplane::test {

namespace {

using isotach::LogicalTime;
using isotach::Paranoid;
using isotach::Place;

/// Host 0 of three; the others are 2 and 4 pulses away.
struct Watched {
    void arrives(std::uint32_t count, siu::Pulse pulse, std::uint32_t rank = 0, siu::Pulse clock = 10) {
        paranoid.arrived({.pulse = pulse, .host = 1, .rank = rank, .count = count}, clock, 2, executed);
    }
    void executes(siu::Pulse pulse, std::uint32_t rank = 0, siu::Pulse stamp = 0, siu::Pulse ended = 100) {
        paranoid.executed({stamp == 0 ? pulse : stamp, Place::kWithin, 1, rank}, pulse, ended);
    }
    bool finds(const std::string& words) const {
        return paranoid.violations() == 1 && paranoid.first().find(words) != std::string::npos;
    }

    Paranoid paranoid{0, 3};
    siu::Pulse executed = 11;
};

}  // namespace

TEST(Paranoid, has_nothing_to_say_of_what_is_as_it_should_be) {
    Watched host;
    host.arrives(1, 12);
    host.arrives(2, 12, 1);
    host.paranoid.stamped(0, 10, 4, 14);
    host.paranoid.kept(0, 14, 0);
    host.paranoid.stamped(1, 11, 2, 14);
    host.executes(12);
    host.paranoid.given({12, Place::kWithin, 1, 0});
    host.executes(12, 1);
    host.paranoid.given({12, Place::kWithin, 1, 1});
    host.paranoid.given({12, Place::kEnd, 0, 0});
    host.paranoid.completed(0, 14);
    host.paranoid.executed({14, Place::kWithin, 0, 0}, 14, 14);
    host.paranoid.completed(1, 14);
    EXPECT_EQ(host.paranoid.violations(), 0U);
    EXPECT_EQ(host.paranoid.first(), "");
}

TEST(Paranoid, finds_a_message_that_is_missing_or_comes_again) {
    Watched missing;
    missing.arrives(1, 12);
    missing.arrives(3, 12, 2);
    EXPECT_TRUE(missing.finds("message 3 of host 1 came after message 1")) << missing.paranoid.first();
    Watched again;
    again.arrives(1, 12);
    again.arrives(1, 12);
    EXPECT_TRUE(again.finds("message 1 of host 1 came after message 1")) << again.paranoid.first();
}

TEST(Paranoid, finds_a_message_that_comes_after_its_pulse) {
    Watched host;
    host.executed = 12;
    host.arrives(1, 12);
    EXPECT_TRUE(host.finds("this host has executed pulse 12 already")) << host.paranoid.first();
}

TEST(Paranoid, finds_a_stamp_that_is_too_early_at_both_ends) {
    Watched receiver;
    receiver.arrives(1, 12, 0, 11);
    EXPECT_TRUE(receiver.finds("was issued at clock 11 over distance 2, but is stamped with pulse 12"))
        << receiver.paranoid.first();
    Watched sender;
    sender.paranoid.stamped(0, 11, 2, 12);
    EXPECT_TRUE(sender.finds("issued at clock 11 over distance 2, but stamped with pulse 12"))
        << sender.paranoid.first();
}

TEST(Paranoid, finds_a_stamp_that_goes_back) {
    Watched host;
    host.paranoid.stamped(0, 10, 4, 14);
    host.paranoid.stamped(1, 11, 2, 13);
    EXPECT_TRUE(host.finds("stamped with pulse 13, after one with pulse 14")) << host.paranoid.first();
}

TEST(Paranoid, finds_what_is_executed_at_another_time_than_its_stamp) {
    Watched late;
    late.arrives(1, 12);
    late.executes(13, 0, 12);
    EXPECT_TRUE(late.finds("executed in pulse 13")) << late.paranoid.first();
    Watched rank;
    rank.arrives(1, 12, 5);
    rank.executes(12, 6);
    EXPECT_TRUE(rank.finds("its stamp is pulse 12, rank 5")) << rank.paranoid.first();
    Watched own;
    own.paranoid.stamped(0, 10, 2, 12);
    own.paranoid.completed(0, 13);
    EXPECT_TRUE(own.finds("executed in pulse 13, but its stamp is 12")) << own.paranoid.first();
}

TEST(Paranoid, finds_what_is_executed_before_its_pulse_has_ended) {
    Watched host;
    host.arrives(1, 12);
    host.executes(12, 0, 0, 11);
    EXPECT_TRUE(host.finds("which has not ended: the last token was 11")) << host.paranoid.first();
}

TEST(Paranoid, finds_what_never_came_and_isochrons_out_of_turn) {
    Watched host;
    host.executes(12);
    EXPECT_TRUE(host.finds("but none had come")) << host.paranoid.first();
    Watched own;
    own.paranoid.stamped(0, 10, 2, 12);
    own.paranoid.completed(1, 12);
    EXPECT_TRUE(own.finds("out of the order of issue")) << own.paranoid.first();
}

TEST(Paranoid, finds_what_does_not_come_in_the_order_of_time_and_keeps_the_first_in_words) {
    Watched host;
    host.paranoid.given({12, Place::kEnd, 0, 0});
    host.paranoid.given({12, Place::kWithin, 2, 7});
    EXPECT_TRUE(host.finds("pulse 12, host 2, rank 7 comes after what is executed at pulse 12, at its end"))
        << host.paranoid.first();
    const std::string first = host.paranoid.first();
    host.paranoid.given({11, Place::kWithin, 2, 7});
    EXPECT_EQ(host.paranoid.violations(), 2U);
    EXPECT_EQ(host.paranoid.first(), first);
}

TEST(Paranoid, watches_messages_of_all_sizes_between_hosts_of_either_kind) {
    Hosts hosts(topology::line(3, 1), {.isotach = {.paranoid = true}});
    for (unsigned i = 0; i < 20; ++i) {
        for (NodeId from = 0; from < 3; ++from) {
            isotach::Isochron isochron = hosts[from].isotach.isochron();
            for (const NodeId to : {NodeId{0}, NodeId{1}, NodeId{2}})
                ASSERT_TRUE(isochron.add(to, bytes((i * 577 + to) % 4000, to)));
            ASSERT_NE(hosts.stations.steps_until([&] { return hosts[from].isotach.send(isochron); }),
                      UINT_MAX);
        }
    }
    hosts.run(20ms);
    for (NodeId host = 0; host < 3; ++host) {
        const auto deliveries = hosts[host].receive();
        ASSERT_EQ(deliveries.size(), 60U);
        for (const isotach::Delivery& delivery : deliveries)
            EXPECT_TRUE(std::ranges::equal(delivery.data, bytes(delivery.data.size(), host)));
        hosts[host].release(deliveries);
        EXPECT_EQ(hosts[host].isotach.paranoid()->violations(), 0U)
            << hosts[host].isotach.paranoid()->first();
    }
    hosts.run(1ms);
}

TEST(Paranoid, a_host_that_is_not_takes_messages_of_one_that_is) {
    Hosts hosts(topology::single_switch(2));
    isotach::Isotach& isotach = hosts[0].isotach;
    EXPECT_EQ(isotach.paranoid(), nullptr);
    // As a paranoid host sends it.
    const wire::IsotachHeader header{
        .pulse = hosts[1].siu.clock() + 10, .host = 0, .flags = wire::kIsotachClocked, .count = 1};
    Bytes message(wire::kIsotachSize + wire::kIsotachClockSize + 5);
    wire::encode_isotach(std::span(message).first<wire::kIsotachSize>(), header);
    std::ranges::copy(bytes(5, 3), message.begin() + wire::kIsotachSize + wire::kIsotachClockSize);
    ASSERT_TRUE(hosts[0].niu.send(1, wire::Protocol::kIsotach, message));
    hosts.run(2ms);
    const auto deliveries = hosts[1].receive();
    ASSERT_EQ(deliveries.size(), 1U);
    EXPECT_TRUE(std::ranges::equal(deliveries[0].data, bytes(5, 3)));
    hosts[1].release(deliveries);
    hosts.run(1ms);
}

TEST(Paranoid, expects_of_who_has_left_only_what_is_up_to_the_cut) {
    Watched host;
    host.arrives(1, 12);
    host.arrives(2, 12, 1);
    host.arrives(3, 14, 2);
    host.paranoid.cut_off(1, 12);
    host.executes(12);
    host.executes(12, 1);
    host.arrives(1, 20);  // in its next life
    EXPECT_EQ(host.paranoid.violations(), 0U) << host.paranoid.first();
    host.executes(20);
    host.executes(14, 2);
    EXPECT_TRUE(host.finds("but none had come")) << host.paranoid.first();
}

TEST(Paranoid, expects_no_more_what_was_passed_over) {
    Watched host;
    host.arrives(1, 12);
    host.arrives(2, 13, 1);
    host.paranoid.passed_over({12, Place::kWithin, 1, 0});
    host.executes(13, 1);
    EXPECT_EQ(host.paranoid.violations(), 0U) << host.paranoid.first();
}

TEST(Paranoid, clocks_go_along_with_messages_of_any_size_whatever_frames_travel_in) {
    for (const bool in_udp : {false, true}) {
        HostOptions options{.isotach = {.paranoid = true}};
        if (in_udp) options.niu.udp.addresses = {0x0a000001, 0x0a000002, 0x0a000003};
        Hosts hosts(topology::single_switch(2), options);
        for (const std::size_t size : {std::size_t{8}, std::size_t{257}, std::size_t{700},
                                       hosts[0].isotach.most_in_frame(1), std::size_t{5000}}) {
            ASSERT_TRUE(hosts[0].send({1}, 3, size));
            hosts.run(5ms);
            const auto deliveries = hosts[1].receive();
            ASSERT_EQ(deliveries.size(), 1U) << size << " bytes";
            EXPECT_TRUE(std::ranges::equal(deliveries[0].data, bytes(size, 3))) << size << " bytes";
            hosts[1].release(deliveries);
        }
        hosts.run(1ms);
    }
}

/// They do not get the time of the one before without more ado, as others do.
TEST(Paranoid, clocks_go_along_with_each_of_several_messages_in_a_row) {
    Hosts hosts(topology::single_switch(2), {.isotach = {.paranoid = true}});
    const std::vector<std::size_t> sizes{8, 8, 700, 700, 8};
    for (const std::size_t size : sizes)
        ASSERT_TRUE(hosts[0].isotach.send(1, bytes(size, 3)));
    hosts.run(5ms);
    const auto deliveries = hosts[1].receive();
    ASSERT_EQ(deliveries.size(), sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i)
        EXPECT_TRUE(std::ranges::equal(deliveries[i].data, bytes(sizes[i], 3))) << i;
    hosts[1].release(deliveries);
    hosts.run(1ms);
}

}  // namespace isoplane::test
