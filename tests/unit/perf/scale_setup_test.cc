// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <algorithm>

#include "perf/scale_setup.hh"

namespace isoplane::test {

namespace {

/// Of host 0, and that all others have as many, and are partners of their partners.
std::vector<niu::NodeId> partners_of_first(const perf::ScaleSetup& setup) {
    const topology::Topology topology = perf::scale_topology(setup);
    const perf::Partners partners(setup, topology);
    const auto first = partners.others(0);
    for (unsigned host = 0; host < setup.hosts; ++host) {
        const auto others = partners.others(static_cast<niu::NodeId>(host));
        EXPECT_EQ(others.size(), first.size()) << host;
        for (const niu::NodeId other : others) {
            const auto back = partners.others(other);
            EXPECT_TRUE(std::ranges::binary_search(back, host)) << host << " and " << other;
            EXPECT_FALSE(partners.names(static_cast<niu::NodeId>(host))[other].empty());
        }
    }
    return first;
}

}  // namespace

TEST(ScalePartners, are_all_others_unless_told) {
    EXPECT_EQ(partners_of_first({.hosts = 5}), (std::vector<niu::NodeId>{1, 2, 3, 4}));
}

TEST(ScalePartners, are_as_far_from_each_other_as_they_can_be) {
    EXPECT_EQ(partners_of_first({.hosts = 64, .tree = true, .partners = 3}),
              (std::vector<niu::NodeId>{16, 32, 48}));
}

TEST(ScalePartners, are_all_others_where_there_are_no_more) {
    EXPECT_EQ(partners_of_first({.hosts = 4, .partners = 7}).size(), 3U);
}

TEST(ScaleTopology, has_as_many_below_each_switch_of_three_levels) {
    const topology::Topology topology = perf::scale_topology({.hosts = 4096, .tree = true});
    EXPECT_EQ(topology.host_count(), 4096U);
    EXPECT_EQ(topology.switch_count(), 1U + 16 + 256);
}

}  // namespace isoplane::test
