// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include "../command.hh"

namespace isoplane::perf {

int run_scale(int argc, char** argv);
inline constexpr app::Command kScale{
    "scale", "simulated time, as hosts become more: what ordering adds, tokens, pulses", run_scale};

}  // namespace isoplane::perf
