// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace isoplane::topology {

/// The word of `known` that `word` was most likely meant to be; empty when none comes near.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

}  // namespace isoplane::topology
