// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <isoplane/wire/message.hh>
#include <string>

namespace isoplane::replay {

/// What is wrong with a message of a valid frame of that source, by itself: it is none of its protocol, or
/// says what nobody may say. Empty when nothing is, or as far as it is a fragment.
std::string fault_in(const wire::Message& message, std::uint16_t source);

}  // namespace isoplane::replay
