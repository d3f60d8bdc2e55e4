// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <string>
#include <vector>

#include "../report/record.hh"
#include "options.hh"

namespace isoplane::perf {

/// What `isoplane perf memory` is told.
struct MemoryOptions : Options {
    std::vector<unsigned> writes;     ///< of an isochron
    std::vector<unsigned> variables;  ///< that updates choose from
    unsigned workers = 16;            ///< that have an update each on its way
    bool kernel = true;
};

/// Tables, plots, targets and bounds of what its figures have. `others`: by what ways the sockets went.
void add_to(report::Record& record, const MemoryOptions& options, const std::string& others);

}  // namespace isoplane::perf
