// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

namespace isoplane::replay {

/// `isoplane replay`.
int run(int argc, char** argv);

}  // namespace isoplane::replay
