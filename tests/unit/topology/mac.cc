// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/topology/mac.hh>

#include <gtest/gtest.h>

namespace isoplane::topology {

TEST(Mac, of_a_node_is_local_and_holds_its_id_and_link) {
    EXPECT_EQ(to_string(default_mac(0)), "02:69:73:00:00:00");
    EXPECT_EQ(to_string(default_mac(0x1234, 5)), "02:69:73:05:12:34");
    EXPECT_TRUE(is_unicast(default_mac(0)));
}

TEST(Mac, is_read_as_it_is_written) {
    const Mac mac{0x02, 0xab, 0x00, 0xff, 0x10, 0x7e};
    EXPECT_EQ(parse_mac(to_string(mac)), mac);
    EXPECT_EQ(parse_mac("02-AB-00-FF-10-7E"), mac);
}

TEST(Mac, refuses_all_other_text) {
    for (const char* text :
         {"", "02:69:73:00:00", "02:69:73:00:00:00:00", "02:69:73:00:00:0g", "02:69-73:00:00:00",
          "02.69.73.00.00.00", "2:69:73:00:00:0000", "02:69:73:00:00:-1", "02:69:73:00:00: 1"})
        EXPECT_EQ(parse_mac(text), std::nullopt) << text;
}

TEST(Mac, of_a_group_or_of_nobody_is_no_station) {
    EXPECT_FALSE(is_unicast(Mac{}));
    EXPECT_FALSE(is_unicast(Mac{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}));
    EXPECT_FALSE(is_unicast(Mac{0x33, 0x33, 0, 0, 0, 1}));
}

}  // namespace isoplane::topology
