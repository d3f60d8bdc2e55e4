// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

namespace isoplane::perf {

/// `isoplane perf active`.
int run_active(int argc, char** argv);

}  // namespace isoplane::perf
