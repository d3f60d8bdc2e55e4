// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Messages about views of more nodes than a frame has room for, in parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include <isoplane/wire/view.hh>

namespace isoplane::wire {

/// The parts of a whole message, none longer than `room`; the message itself where that fits. Room for one
/// member is the least.
std::vector<ViewMessage> parts_of(const ViewMessage& whole, std::size_t room);

/// Collects those of one sender, in whichever order they come. What is said again is the same message as
/// long as nothing in it has changed, so parts that were lost can be of the next time that it was said.
class ViewParts {
  public:
    /// Of that life of the sender. The whole message, with the last of its parts; those of another message
    /// are forgotten when it is not the same.
    std::optional<ViewMessage> add(std::uint32_t epoch, ViewMessage part);

  private:
    std::uint32_t epoch_ = 0;
    std::map<std::uint16_t, ViewMessage> parts_;
};

}  // namespace isoplane::wire
