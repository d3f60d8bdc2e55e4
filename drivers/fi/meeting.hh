// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <string>

namespace isoplane::fi {

/// A link for a process of the job with that key, which an MPI launcher has started and nobody has given one:
/// that of a node which all of them on this machine share. The first to ask starts it. Throws with a
/// sentence.
std::string meet(std::uint32_t job_key);

}  // namespace isoplane::fi
