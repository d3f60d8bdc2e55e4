// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include "../command.hh"

namespace isoplane::perf {

int run_active(int argc, char** argv);
inline constexpr app::Command kActive{
    "active", "requests and transfers of active messages, beside what is under them", run_active};

}  // namespace isoplane::perf
