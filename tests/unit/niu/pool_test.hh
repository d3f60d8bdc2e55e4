// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <gtest/gtest.h>

#include <isoplane/runtime/pool.hh>

namespace isoplane::test {

inline runtime::Pool& niu_pool() {
    static runtime::Pool the_pool("unit_niu", 8191);
    return the_pool;
}

/// Ends every test with the question whether all packets are back.
class PoolTest : public testing::Test {
  protected:
    void TearDown() override { EXPECT_EQ(niu_pool().in_use(), 0U) << "packets leaked"; }

    static rte_mbuf* packet() { return niu_pool().packet().release(); }
};

}  // namespace isoplane::test
