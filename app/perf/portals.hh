// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

namespace isoplane::perf {

/// `isoplane perf portals`.
int run_portals(int argc, char** argv);

}  // namespace isoplane::perf
