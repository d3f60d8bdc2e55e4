// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <isoplane/runtime/flat_map.hh>
#include <map>
#include <memory>
#include <random>

namespace isoplane::runtime {
namespace {

struct Spread {
    std::uint64_t operator()(unsigned key) const noexcept { return spread(key); }
};
/// Which puts all keys into few places.
struct Crowd {
    std::uint64_t operator()(unsigned key) const noexcept { return std::uint64_t{key % 3} << 62; }
};

template <typename Hash>
class FlatMapTest : public testing::Test {};
using Hashes = testing::Types<Spread, Crowd>;
TYPED_TEST_SUITE(FlatMapTest, Hashes);

}  // namespace

TYPED_TEST(FlatMapTest, has_what_a_map_has_whatever_comes_and_goes) {
    std::mt19937 generator(7);
    const auto random = [&](unsigned below) { return static_cast<unsigned>(generator() % below); };
    FlatMap<unsigned, unsigned, TypeParam> flat;
    std::map<unsigned, unsigned> map;
    for (unsigned step = 0; step < 20000; ++step) {
        const unsigned key = random(100);
        if (random(2) == 0) {
            flat[key] = map[key] = step;
        } else {
            flat.erase(key);
            map.erase(key);
        }
        ASSERT_EQ(flat.size(), map.size());
        const unsigned asked = random(100);
        const auto expected = map.find(asked);
        const unsigned* const found = flat.find(asked);
        ASSERT_EQ(found != nullptr, expected != map.end()) << asked << " in step " << step;
        if (found != nullptr) {
            ASSERT_EQ(*found, expected->second);
        }
    }
    std::map<unsigned, unsigned> seen;
    std::as_const(flat).for_each([&](unsigned key, unsigned value) { seen[key] = value; });
    EXPECT_EQ(seen, map);
    for (unsigned key = 0; key < 100; ++key)
        flat.erase(key);
    EXPECT_TRUE(flat.empty());
    EXPECT_FALSE(flat.contains(1));
}

TYPED_TEST(FlatMapTest, keeps_nothing_of_what_was_erased) {
    FlatMap<unsigned, std::shared_ptr<int>, TypeParam> flat;
    const auto value = std::make_shared<int>(1);
    for (unsigned key = 0; key < 50; ++key)
        flat[key] = value;
    for (unsigned key = 0; key < 50; ++key)
        flat.erase(key);
    EXPECT_EQ(value.use_count(), 1);
    EXPECT_EQ(flat[7], nullptr);
}

}  // namespace isoplane::runtime
