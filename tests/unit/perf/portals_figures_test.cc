// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "perf/portals_figures.hh"

#include <gtest/gtest.h>

namespace isoplane::perf {
namespace {

TEST(PortalsFigures, measure_one_copy_when_there_is_no_time_for_any) {
    EXPECT_GT(measure_copy(std::size_t{1} << 12, 0), 0);
}

}  // namespace
}  // namespace isoplane::perf
