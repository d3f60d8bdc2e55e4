// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include "../report/record.hh"
#include "active_costs.hh"
#include "results.hh"

namespace isoplane::perf {

/// What there is to say beside the results.
void add_to(report::Record& record, const Results& results, const ActiveCosts& costs);

}  // namespace isoplane::perf
