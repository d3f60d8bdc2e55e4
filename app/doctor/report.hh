// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <iosfwd>

#include "finding.hh"

namespace isoplane::doctor {

/// Whether `isoplane demo` would run: no finding is a failure.
bool default_runs(const Findings& findings);

/// Findings by area, one line each, the mending command below its finding, and the verdict.
void print_text(std::ostream& out, const Findings& findings);

/// An array of {"area", "check", "status": "ok"|"warn"|"fail", "finding", "mend": command or null}.
void print_json(std::ostream& out, const Findings& findings);

}  // namespace isoplane::doctor
