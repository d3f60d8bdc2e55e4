// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

namespace isoplane::run {

/// The subcommand `isoplane run`.
int run(int argc, char** argv);

}  // namespace isoplane::run
