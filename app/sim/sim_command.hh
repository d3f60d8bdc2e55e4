// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

namespace isoplane::sim {

/// `isoplane sim`: networks in logical time under faults, one for each seed, all of them checked.
int run(int argc, char** argv);

}  // namespace isoplane::sim
