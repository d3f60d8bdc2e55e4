// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <ostream>

#include "diagram/layout.hh"

namespace isoplane::diagram {

/// Writes the drawing as an SVG file. Things of one sort share a class: `token`, `message`, `lost`,
/// `repeated`, `executed`.
void write_svg(std::ostream& out, const Drawing& drawing);

}  // namespace isoplane::diagram
