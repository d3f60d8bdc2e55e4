// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../report/record.hh"
#include "results.hh"

namespace isoplane::perf {

/// Which resource a stream was bound by, as far as what was measured tells. `of_limit`: how much of the rate
/// it has that the link can carry; nothing when that is not known.
report::Bound bound_of(const Flow& flow, std::optional<double> of_limit);

/// Of every transport and size; `limit` is the transport that shows what the link can carry.
std::vector<report::Bound> bounds_of(const Results& results, const std::string& limit);

}  // namespace isoplane::perf
