// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

namespace isoplane::demo {

/// `isoplane demo`: a network in one process.
int run(int argc, char** argv);

}  // namespace isoplane::demo
