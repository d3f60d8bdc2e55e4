// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <string>

#include "table.hh"

namespace isoplane::report {

/// A table as HTML, which scrolls by itself where it is too wide; `captioned`: with its title.
std::string html_of(const Table& table, bool captioned);

}  // namespace isoplane::report
