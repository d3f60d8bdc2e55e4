// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Pieces of HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace isoplane::report {

/// Text as it stands between and within tags.
std::string escape(std::string_view text);
/// A coordinate, to a tenth of a pixel.
std::string px(double value);

}  // namespace isoplane::report
