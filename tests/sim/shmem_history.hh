// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <isoplane/isotach/logical_time.hh>
#include <isoplane/shmem/address.hh>
#include <isoplane/wire/access.hh>
#include <string>
#include <vector>

namespace isoplane::test {

using Words = std::vector<std::uint32_t>;

/// An access as its program sees it.
struct Step {
    wire::AccessCode code{};
    shmem::Address at = 0;
    std::uint32_t words = 1;
    Words values{};                ///< written, added or swapped in
    Words expected{};              ///< of a compare-and-swap
    shmem::Scheduled scheduled{};  ///< of a SCHED, and the one that is assigned
    Words result{};                ///< read
};

/// An isochron: what it did, and when it was executed, at its host and so everywhere.
struct Record {
    std::vector<Step> steps{};
    isotach::LogicalTime time{};
    std::uint32_t after = 0;  ///< place among what its host did on its own after that time
};

/// By host, in the order of issue.
using ShmemHistory = std::vector<std::vector<Record>>;

/// Executes all isochrons one after the other, in the order of their times, on one memory. Returns the first
/// read that found something else than it should, or the first isochron out of the order of issue, in a
/// sentence; empty when there is none. `memory` becomes what is left, by address.
std::string replay(const ShmemHistory& history, std::size_t words, Words& memory);

}  // namespace isoplane::test
