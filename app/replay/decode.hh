// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "capture/any_frame.hh"
#include "replay/trace.hh"

namespace isoplane::replay {

/// A line about a frame, which is the `number`th of its trace.
std::string to_text(std::uint64_t number, const TraceFrame& frame);

/// The same as an object.
nlohmann::ordered_json to_json(std::uint64_t number, const TraceFrame& frame);

}  // namespace isoplane::replay
