// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <isoplane/fabric/mac_table.hh>

#include "../../sim/frames.hh"

namespace isoplane::test {

using fabric::MacTable;
using runtime::Time;
using namespace std::chrono_literals;

TEST(MacTable, knows_what_it_has_learned_and_nothing_else) {
    MacTable table(1024, 300s);
    table.learn(station(1), 7, Time{1s});
    EXPECT_EQ(table.find(station(1), Time{2s}), 7);
    EXPECT_EQ(table.find(station(2), Time{2s}), MacTable::kNoPort);
    EXPECT_EQ(table.size(Time{2s}), 1U);
}

TEST(MacTable, tells_addresses_apart_that_differ_in_any_byte) {
    MacTable table(1024, 300s);
    const rte_ether_addr base{{0x02, 0, 0, 0, 0, 0}};
    for (std::uint16_t byte = 0; byte < 6; ++byte) {
        rte_ether_addr address = base;
        address.addr_bytes[byte] = static_cast<std::uint8_t>(address.addr_bytes[byte] ^ 0x10);
        table.learn(address, byte, Time{});
        EXPECT_EQ(table.find(address, Time{}), byte);
    }
    EXPECT_EQ(table.size(Time{}), 6U);
    EXPECT_EQ(table.find(base, Time{}), MacTable::kNoPort);
}

TEST(MacTable, forgets_after_the_age_and_not_while_it_hears) {
    MacTable table(1024, 10s);
    table.learn(station(1), 1, Time{0s});
    table.learn(station(2), 2, Time{0s});
    table.learn(station(2), 2, Time{8s});
    EXPECT_EQ(table.find(station(1), Time{11s}), MacTable::kNoPort);
    EXPECT_EQ(table.find(station(2), Time{11s}), 2);
    EXPECT_EQ(table.size(Time{11s}), 1U);
}

TEST(MacTable, learns_no_group_address_and_no_zero) {
    MacTable table(1024, 300s);
    table.learn(kBroadcast, 1, Time{});
    table.learn(rte_ether_addr{{0x01, 0, 0x5e, 0, 0, 1}}, 1, Time{});
    table.learn(rte_ether_addr{}, 1, Time{});
    EXPECT_EQ(table.size(Time{}), 0U);
    EXPECT_EQ(table.find(rte_ether_addr{}, Time{}), MacTable::kNoPort);
}

TEST(MacTable, stays_bounded_and_keeps_the_newest) {
    MacTable table(64, 300s);
    for (unsigned n = 1; n <= 10'000; ++n) {
        const auto port = static_cast<std::uint16_t>(n % 100);
        table.learn(station(n), port, Time{std::chrono::milliseconds{n}});
        ASSERT_EQ(table.find(station(n), Time{10s}), port);
    }
    EXPECT_EQ(table.capacity(), 64U);
    EXPECT_LE(table.size(Time{10s}), 64U);
}

TEST(MacTable, has_room_for_most_of_as_many_as_it_promises) {
    MacTable table(8192, 300s);
    for (unsigned n = 1; n <= 2000; ++n)
        table.learn(station(n), 1, Time{});
    EXPECT_GT(table.size(Time{}), 1950U);
}

}  // namespace isoplane::test
