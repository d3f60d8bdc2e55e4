// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/portals/interface.hh>
#include <memory>
#include <vector>

namespace isoplane::fi {

/// Where messages that nobody waits for are kept: buffers behind all entries of a portal, so many that one
/// round of the network cannot fill them. Each takes messages until less than half of it is left, and is used
/// again when nobody needs any of them.
///
/// What is longer than a buffer is not kept: behind them all is an entry that takes nothing of a message, and
/// only learns of it.
class Shelf {
  public:
    static constexpr std::size_t kBuffer = 32768;
    /// What fits a buffer that has taken something already, and is not full.
    static constexpr std::size_t kMost = kBuffer / 2;

    /// Entries of others that are inserted in front of border() are tried before. With `says_all`, there is
    /// an event when a message has found its place, and not only when all of it is there, and
    /// acknowledgements.
    portals::Status open(portals::Interface& interface, portals::Index portal, portals::Handle queue,
                         std::size_t bytes, bool says_all);
    portals::Handle border() const noexcept { return border_; }

    /// The name of a buffer in the marks of its events, and whose it is.
    static portals::Index portal_of(std::uint32_t name) { return name >> kNumberBits; }

    /// A message is in it, that event says where.
    const std::byte* hold(const portals::Event& event) noexcept;
    void release(std::uint32_t name);
    /// It is full, and another takes its place. False if there is no room for that now.
    bool unlinked(std::uint32_t name);
    /// The same of all whose place was not taken.
    bool refill();

  private:
    static constexpr unsigned kNumberBits = 20;

    struct Buffer {
        portals::MdSpec spec;  ///< made once: one that has just been written is not read as fast
        portals::Handle md = portals::kInvalid;
        unsigned users = 0;
        bool is_attached = false;
    };

    void grow(std::size_t buffers);
    bool attach_one();
    portals::MdSpec spec(std::byte* start, std::size_t number) const;
    Buffer& find(std::uint32_t name) { return buffers_[name & ((1U << kNumberBits) - 1)]; }

    portals::Interface* interface_ = nullptr;
    portals::Index portal_ = 0;
    portals::Handle queue_ = portals::kNoQueue;
    unsigned silence_ = 0;  ///< options of all descriptors
    portals::Handle border_ = portals::kInvalid;
    portals::Handle last_ = portals::kInvalid;
    std::vector<std::unique_ptr<std::byte[]>> slabs_;
    std::vector<Buffer> buffers_;
    std::vector<std::uint32_t> free_;
    unsigned missing_ = 0;  ///< places of those that are attached
};

}  // namespace isoplane::fi
