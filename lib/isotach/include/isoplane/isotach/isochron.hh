// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/niu/options.hh>
#include <isoplane/runtime/pool.hh>
#include <isoplane/wire/isotach.hh>
#include <optional>
#include <span>
#include <vector>

#include <isoplane/isotach/payload.hh>

namespace isoplane::isotach {

/// Messages that are executed at one logical time, at however many hosts, this one included. Filled by the
/// user, then sent as one; after that it is empty and can be filled again.
class Isochron {
  public:
    /// Long messages are written into packets of that pool, in which they will go; what does not fit a
    /// packet, into memory of its own.
    explicit Isochron(runtime::Pool& pool) : pool_(pool) {}
    Isochron(Isochron&&) = default;
    /// With another of the same pool.
    void swap(Isochron& other) noexcept {
        parts_.swap(other.parts_);
        bytes_.swap(other.bytes_);
    }

    /// Room for one more message, which may be written until the isochron is sent or the next message is
    /// added. Messages to one host arrive in the order in which they are added. Nothing when there is no
    /// packet for it, or no memory.
    std::optional<std::span<std::byte>> add(NodeId to, std::size_t size,
                                            wire::Operation operation = wire::Operation::kMessage);
    /// Copies a message. False as the other gives nothing.
    bool add(NodeId to, std::span<const std::byte> message);
    /// Takes back the message that was added last. Only while not empty.
    void drop_last() noexcept;
    /// Whom that is for; the same.
    NodeId last_to() const noexcept { return parts_.back().to; }
    /// Takes out what is for hosts, and to do, of which that is said.
    template <typename Says>
    void drop_if(Says&& says) noexcept {
        std::erase_if(parts_, [&](const Part& part) { return says(part.to, part.operation); });
    }

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
        std::size_t at = 0;  ///< in bytes_, unless it has a packet or payload
        wire::Operation operation = wire::Operation::kMessage;
        runtime::Packet packet{};  ///< with the message alone, and room in front
        Payload::Handle payload{};

        /// Whether it goes by pointer, where messages of `most` bytes fit a frame.
        bool is_large(std::size_t most) const noexcept { return payload || size > most; }
        /// Of a message to this host, for which an empty one has no packet.
        std::span<const std::byte> own_bytes() const noexcept {
            if (size == 0) return {};
            return packet ? packet.data() : payload->bytes();
        }
    };
    std::span<const std::byte> bytes_of(const Part& part) const noexcept;

    runtime::Pool& pool_;
    std::vector<Part> parts_;
    std::vector<std::byte> bytes_;  ///< of the short ones
};

}  // namespace isoplane::isotach
