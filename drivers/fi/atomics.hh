// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstddef>
#include <cstdint>

#include "objects.hh"

namespace isoplane::fi {

/// Bytes of an operand, at the most.
inline constexpr std::size_t kMostAtomic = 512;

int query_atomic(fid_domain* domain, fi_datatype type, fi_op operation, fi_atomic_attr* attributes,
                 std::uint64_t flags);

}  // namespace isoplane::fi
