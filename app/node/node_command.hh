// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

namespace isoplane::node {

/// `isoplane node`.
int run(int argc, char** argv);

}  // namespace isoplane::node
