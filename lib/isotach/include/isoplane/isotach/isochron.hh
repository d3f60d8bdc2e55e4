// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/niu/options.hh>
#include <isoplane/runtime/pool.hh>
#include <isoplane/wire/isotach.hh>
#include <optional>
#include <span>
#include <vector>

namespace isoplane::isotach {

using niu::NodeId;

/// Messages that are executed at one logical time, at however many hosts, this one included. Filled by the
/// user, then sent as one; after that it is empty and can be filled again.
class Isochron {
  public:
    /// Long messages are written into packets of that pool, in which they will go.
    explicit Isochron(runtime::Pool& pool) : pool_(pool) {}
    Isochron(Isochron&&) = default;
    /// With another of the same pool.
    void swap(Isochron& other) noexcept {
        parts_.swap(other.parts_);
        bytes_.swap(other.bytes_);
    }

    /// Room for one more message, which may be written until the isochron is sent or the next message is
    /// added. Messages to one host arrive in the order in which they are added. Nothing when the message is
    /// too large for a packet, or the pool used up.
    std::optional<std::span<std::byte>> add(NodeId to, std::size_t size,
                                            wire::Operation operation = wire::Operation::kMessage);
    /// Copies a message. False as the other gives nothing.
    bool add(NodeId to, std::span<const std::byte> message);
    /// Takes back the message that was added last. Only while not empty.
    void drop_last() noexcept;

    /// How many messages there are.
    std::size_t size() const noexcept { return parts_.size(); }
    bool empty() const noexcept { return parts_.empty(); }
    void clear() noexcept;

    /// Messages up to this size are copied when they are sent, since they may share a frame with others.
    static constexpr std::size_t kCopied = 256;

  private:
    friend class Isotach;
    friend class Needs;

    struct Part {
        NodeId to = 0;
        std::uint32_t size = 0;
        std::size_t at = 0;  ///< in bytes_, unless it has a packet
        wire::Operation operation = wire::Operation::kMessage;
        runtime::Packet packet{};  ///< with the message alone, and room in front
    };

    runtime::Pool& pool_;
    std::vector<Part> parts_;
    std::vector<std::byte> bytes_;  ///< of the short ones
};

}  // namespace isoplane::isotach
