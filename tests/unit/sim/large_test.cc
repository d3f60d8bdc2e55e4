// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include "sim/large.hh"

namespace isoplane::sim {
namespace {

topology::Topology tree(unsigned hosts) {
    return topology::Topology(three_levels(hosts), "tree");
}

/// The group of host 0, and that all others have as many in theirs, and are in those of their partners.
std::vector<niu::NodeId> first_group(unsigned hosts, unsigned partners) {
    const topology::Topology topology = tree(hosts);
    const Partners all(topology, partners);
    const auto first = all.group(0);
    for (unsigned host = 0; host < hosts; ++host) {
        const auto group = all.group(static_cast<niu::NodeId>(host));
        EXPECT_EQ(group.size(), first.size()) << host;
        for (const niu::NodeId other : group) {
            EXPECT_EQ(all.group(other), group) << host << " and " << other;
            EXPECT_FALSE(all.names(static_cast<niu::NodeId>(host))[other].empty());
        }
    }
    return first;
}

}  // namespace

TEST(Partners, are_all_others_unless_told) {
    EXPECT_EQ(first_group(5, 0), (std::vector<niu::NodeId>{0, 1, 2, 3, 4}));
}

TEST(Partners, are_as_far_from_each_other_as_they_can_be) {
    EXPECT_EQ(first_group(64, 3), (std::vector<niu::NodeId>{0, 16, 32, 48}));
}

TEST(Partners, are_all_others_where_there_are_no_more) {
    EXPECT_EQ(first_group(4, 7).size(), 4U);
}

TEST(ThreeLevels, have_as_many_below_each_switch) {
    const topology::Topology topology = tree(4096);
    EXPECT_EQ(topology.host_count(), 4096U);
    EXPECT_EQ(topology.switch_count(), 1U + 16 + 256);
}

}  // namespace isoplane::sim
