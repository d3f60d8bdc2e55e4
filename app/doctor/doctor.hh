// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

namespace isoplane::doctor {

/// `isoplane doctor`: checks the machine, prints the findings; 0 when the default (isoplane demo) would run
/// here.
int run(int argc, char** argv);

}  // namespace isoplane::doctor
