// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include "../command.hh"

namespace isoplane::perf {

int run_all(int argc, char** argv);
inline constexpr app::Command kAll{"all", "all of the above, and the tables of a document", run_all};

}  // namespace isoplane::perf
