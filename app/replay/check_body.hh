// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <isoplane/wire/run.hh>
#include <string>

namespace isoplane::replay {

/// What is wrong with a message of a valid frame of that source, by itself: it is none of its protocol, or
/// says what nobody may say. Empty when nothing is, or as far as it is a fragment. `ordered` has read the
/// ordered ones in front of it in its frame.
std::string fault_in(const wire::Message& message, std::uint16_t source, wire::OrderedReader& ordered);

}  // namespace isoplane::replay
