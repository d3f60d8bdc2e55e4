// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/topology/ip.hh>

#include <gtest/gtest.h>

namespace isoplane::topology {

TEST(Ip, of_a_node_counts_from_the_first_of_a_network_for_tests) {
    EXPECT_EQ(ip_text(default_ip(0)), "198.18.0.1");
    EXPECT_EQ(ip_text(default_ip(255)), "198.18.1.0");
    EXPECT_EQ(ip_text(default_ip(kMaxNodes - 1)), "198.18.255.254");
}

TEST(Ip, is_read_as_it_is_written) {
    for (const char* text : {"10.1.0.7", "255.255.255.255", "0.0.0.0"})
        EXPECT_EQ(ip_text(parse_ip(text).value()), text);
    for (const char* text : {"10.1.0.7", "10.1.0.7/1", "10.1.0.7/31"})
        EXPECT_EQ(ip_text(parse_ip_in_subnet(text).value()), text);
}

TEST(Ip, refuses_all_other_text) {
    for (const char* text : {"", "10.1.0", "10.1.0.256", "10.1.0.7.1", "ten", "10.1.0.7 ", "10.1.0.7/24"})
        EXPECT_EQ(parse_ip(text), std::nullopt) << text;
    for (const char* text : {"10.1.0.7/", "10.1.0.7/0", "10.1.0.7/32", "10.1.0.7/-1", "/24", "10.1.0.7/24/"})
        EXPECT_EQ(parse_ip_in_subnet(text), std::nullopt) << text;
}

TEST(Ip, of_a_group_or_of_this_very_machine_is_no_station) {
    EXPECT_TRUE(is_unicast(*parse_ip("10.1.0.7")));
    for (const char* text : {"0.0.0.1", "127.0.0.1", "224.0.0.1", "255.255.255.255"})
        EXPECT_FALSE(is_unicast(*parse_ip(text))) << text;
}

TEST(UdpNetwork, is_routed_between_subnets_if_there_is_a_gateway) {
    UdpNetwork udp{.addresses = {*parse_ip("10.1.0.7"), *parse_ip("10.1.0.9"), *parse_ip("10.2.0.7")}};
    EXPECT_FALSE(udp.is_routed(0, 2));
    udp.gateway = *parse_ip("10.1.0.1");
    udp.subnet_bits = 24;
    EXPECT_FALSE(udp.is_routed(0, 0));
    EXPECT_FALSE(udp.is_routed(0, 1));
    EXPECT_TRUE(udp.is_routed(0, 2));
    udp.subnet_bits = 8;
    EXPECT_FALSE(udp.is_routed(0, 2));
}

}  // namespace isoplane::topology
