// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <cstddef>
#include <isoplane/runtime/pool.hh>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace isoplane::test {

using runtime::Packet;
using runtime::Pool;

namespace {

std::ptrdiff_t distance(const Packet& from, const Packet& to) {
    return reinterpret_cast<const std::byte*>(to.get()) - reinterpret_cast<const std::byte*>(from.get());
}

}  // namespace

TEST(Pool, gives_out_first_what_came_back_last) {
    constexpr unsigned kPackets = 63;
    constexpr unsigned kNoCache = 0;  // as between one lcore that takes and another that gives back
    Pool pool("unit_pool", kPackets, Pool::kDefaultRoom, kNoCache);
    std::vector<Packet> taken;
    for (unsigned i = 0; i < 3; ++i)
        taken.push_back(pool.packet());
    const rte_mbuf* const last = taken[1].get();
    taken[1].reset();
    for (unsigned i = 0; i < 3 * kPackets; ++i)
        EXPECT_EQ(pool.packet().get(), last);
    taken.clear();
    EXPECT_EQ(pool.in_use(), 0U);
}

TEST(Pool, gives_out_packets_in_no_order_that_a_cpu_foresees) {
    constexpr unsigned kPackets = 255;
    constexpr std::size_t kTaken = 64;
    constexpr unsigned kCache = 32;
    Pool pool("unit_pool", kPackets, Pool::kDefaultRoom, kCache);
    std::vector<Packet> taken;
    std::map<std::ptrdiff_t, std::size_t> distances;
    for (std::size_t i = 0; i < kTaken; ++i) {
        taken.push_back(pool.packet());
        if (i > 0) ++distances[distance(taken[i - 1], taken[i])];
    }
    for (const auto& [distance, times] : distances)
        EXPECT_LT(times, kTaken / 4) << "packets are " << distance << " bytes apart";
    taken.clear();
    EXPECT_EQ(pool.in_use(), 0U);
}

TEST(Pool, gives_out_all_it_has_and_no_more) {
    constexpr unsigned kPackets = 63;
    constexpr unsigned kCache = 32;
    Pool pool("unit_pool", kPackets, Pool::kDefaultRoom, kCache);
    std::vector<Packet> taken;
    while (Packet packet = pool.packet())
        taken.push_back(std::move(packet));
    EXPECT_EQ(taken.size(), kPackets);
    EXPECT_EQ(pool.in_use(), kPackets);
    taken.clear();
    EXPECT_EQ(pool.in_use(), 0U);
}

TEST(Pool, names_no_option_where_it_cannot_be_made) {
    const Pool pool("unit_pool", 63, Pool::kDefaultRoom, 0);
    try {
        const Pool another("unit_pool", 63, Pool::kDefaultRoom, 0);
        FAIL() << "two pools of one name";
    } catch (const std::runtime_error& error) {
        const std::string sentence = error.what();
        EXPECT_NE(sentence.find("fewer or smaller ones, or more memory"), std::string::npos) << sentence;
        EXPECT_EQ(sentence.find("--"), std::string::npos) << sentence;
    }
}

}  // namespace isoplane::test
