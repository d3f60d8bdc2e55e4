// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "comparison.hh"
#include "record.hh"

namespace isoplane::report {

/// One HTML file with all there is to say about these runs, plots as SVG and figures as tables. It needs
/// nothing else, and may not load anything.
std::string to_page(const std::vector<Record>& records, const std::optional<Comparison>& comparison);

}  // namespace isoplane::report
