// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

namespace isoplane::perf {

/// `isoplane perf`: benchmarks, one for each word that can follow.
int run(int argc, char** argv);

}  // namespace isoplane::perf
