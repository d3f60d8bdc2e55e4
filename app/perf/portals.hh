// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include "../command.hh"

namespace isoplane::perf {

int run_portals(int argc, char** argv);
inline constexpr app::Command kPortals{"portals", "puts of Portals, beside what is under them", run_portals};

}  // namespace isoplane::perf
