// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include "../command.hh"

namespace isoplane::perf {

int run_memory(int argc, char** argv);
inline constexpr app::Command kMemory{
    "memory", "shared memory in logical time, beside locks and transactions", run_memory};

}  // namespace isoplane::perf
