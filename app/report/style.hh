// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

namespace isoplane::report {

/// The style sheet of a page: light and dark, from a phone's width on.
extern const char* const kStyle;

}  // namespace isoplane::report
