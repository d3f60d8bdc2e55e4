// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <isoplane/wire/ethernet.hh>
#include <optional>
#include <span>
#include <string>

#include "replay/renumber.hh"

namespace isoplane::replay {

/// What has become of the node numbers in a frame.
enum class Numbers : std::uint8_t {
    kChanged,  ///< or there were none to change
    kSealed,   ///< kept: the tag of its trailer holds for no others
    kKept,     ///< some cannot be changed, or the frame would not be well formed
};

/// What is changed in frames before they are sent.
struct Rewrite {
    std::optional<wire::MacAddress> source{};
    std::optional<wire::MacAddress> destination{};
    NodeMap nodes{};  ///< of isoplane's frames

    /// "3=7": what was node 3 is node 7. Throws std::invalid_argument with a sentence.
    void add_node(const std::string& pair);

    bool empty() const noexcept { return !source && !destination && nodes.empty(); }

    /// Changes a frame in place. Node numbers change where the frame is isoplane's and whole, in its header
    /// and in its payload, which get the CRCs that belong to them.
    Numbers apply(std::span<std::byte> frame) const;

  private:
    Numbers renumber_frame(std::span<std::byte> frame) const;
};

}  // namespace isoplane::replay
