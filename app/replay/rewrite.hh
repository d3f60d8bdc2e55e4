// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <isoplane/wire/ethernet.hh>
#include <map>
#include <optional>
#include <span>
#include <string>

namespace isoplane::replay {

/// What is changed in frames before they are sent.
struct Rewrite {
    std::optional<wire::MacAddress> source{};
    std::optional<wire::MacAddress> destination{};
    std::map<std::uint16_t, std::uint16_t> nodes{};  ///< of isoplane's frames, from and to

    /// "3=7": what was node 3 is node 7. Throws std::invalid_argument with a sentence.
    void add_node(const std::string& pair);

    bool empty() const noexcept { return !source && !destination && nodes.empty(); }

    /// Changes a frame in place. Node numbers change where the frame is isoplane's and whole; its header gets
    /// the CRC that belongs to them.
    void apply(std::span<std::byte> frame) const;
};

}  // namespace isoplane::replay
