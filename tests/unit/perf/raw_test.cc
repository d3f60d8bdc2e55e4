// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <algorithm>
#include <isoplane/runtime/ring.hh>
#include <vector>

#include "perf/raw.hh"

namespace isoplane::test {

TEST(Raw, receives_its_own_frames_among_those_of_others) {
    runtime::Pool pool("raw", 255, runtime::Pool::kDefaultRoom, 0);
    {
        runtime::Ring there("there");
        runtime::Ring back("back");
        using End = perf::Raw<perf::Content::kCopied>;
        End a(back.input(), there.output(), pool, {1}, {2}, 1500);
        End b(there.input(), back.output(), pool, {2}, {1}, 1500);
        std::vector<std::byte> message(2000, std::byte{7});
        a.begin(message.size());
        b.begin(message.size());

        rte_mbuf* others[] = {pool.packet().release(), pool.packet().release()};
        auto* const at = reinterpret_cast<std::byte*>(rte_pktmbuf_append(others[0], 100));
        std::fill_n(at, 100, std::byte{9});
        wire::encode_ethernet(std::span<std::byte, wire::kEthernetSize>(at, wire::kEthernetSize), {2}, {3},
                              wire::kDefaultEtherType);
        ASSERT_EQ(there.output().send(others, 2), 2);  // the second without a byte in it

        ASSERT_TRUE(a.send(message));
        a.poll();
        b.poll();
        std::vector<std::byte> room(message.size());
        ASSERT_TRUE(b.receive(room));
        EXPECT_EQ(room, message);
        EXPECT_FALSE(b.receive(room));
        EXPECT_TRUE(b.settled());
    }
    EXPECT_EQ(pool.in_use(), 0U);
}

}  // namespace isoplane::test
