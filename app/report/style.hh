// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

namespace isoplane::report {

// Style sheets, light and dark.
extern const char* const kPlotStyle;  ///< of plots
extern const char* const kPageStyle;  ///< of a page around them, from a phone's width on

}  // namespace isoplane::report
