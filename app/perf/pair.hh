// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include "../command.hh"

namespace isoplane::perf {

int run_pair(int argc, char** argv);
inline constexpr app::Command kPair{"pair", "latency, message rate and bandwidth between two links",
                                    run_pair};

}  // namespace isoplane::perf
