// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <string>
#include <vector>

#include "breakdown.hh"
#include "comparison.hh"

namespace isoplane::perf {

/// All there is to say about a run.
struct Report : Comparison {
    std::vector<Costs> costs{};
};

std::string to_tables(const Report& report);
std::string to_json(const Report& report);
std::string to_csv(const Report& report);

/// Says what went wrong, and with `check` what was missed. Returns the exit code.
int conclude(const char* command, const std::vector<std::string>& failures,
             const std::vector<Target>& targets, bool check);

/// Writes to the file, or to standard output when it is "-". Throws std::runtime_error.
void write_to(const std::string& file, const std::string& text);

}  // namespace isoplane::perf
