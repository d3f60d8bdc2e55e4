// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

namespace isoplane::diagram {

/// `isoplane diagram`: draws a capture in logical time. Returns the exit code.
int run(int argc, char** argv);

}  // namespace isoplane::diagram
