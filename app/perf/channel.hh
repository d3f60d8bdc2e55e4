// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include "../command.hh"

namespace isoplane::perf {

int run_channel(int argc, char** argv);
inline constexpr app::Command kChannel{"channel", "messages to channels, and a relay of them", run_channel};

}  // namespace isoplane::perf
