// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include "../command.hh"

namespace isoplane::perf {

int run_order(int argc, char** argv);
inline constexpr app::Command kOrder{"order", "what ordering messages costs", run_order};

}  // namespace isoplane::perf
