// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <isoplane/runtime/counter.hh>
#include <isoplane/runtime/shared_memory.hh>
#include <span>
#include <string>

#include <isoplane/share/area.hh>
#include <isoplane/share/identity.hh>

namespace isoplane::share {

/// The pieces of a packet, in order. Copied once, to where it goes.
using Pieces = std::span<const std::span<const std::byte>>;

/// A client as the node sees it. Nothing that stands in the shared memory is believed: not how much is
/// posted, nor where it is, nor how long; and what has been checked of a packet has been copied before.
///
/// But for the counters and broken(), it belongs to the lcore of the exchange while attached there.
class Guest {
  public:
    struct Counters {
        runtime::Counter sent;  ///< packets of the client that went on
        runtime::Counter sent_bytes;
        runtime::Counter refused;       ///< not in its own name, or no frames at all
        runtime::Counter misaddressed;  ///< to a client of another job, or to nobody where there is no port
        runtime::Counter received;
        runtime::Counter received_bytes;
        runtime::Counter missed;  ///< packets for the client that it had no room for
    };

    /// `area` is large enough for an Area, or std::runtime_error is thrown.
    Guest(const Identity& identity, runtime::SharedMemory area, runtime::SharedMemory memory);
    Guest(const Guest&) = delete;
    Guest& operator=(const Guest&) = delete;

    const Identity& identity() const noexcept { return identity_; }
    const Counters& counters() const noexcept { return counters_; }
    Counters& counters() noexcept { return counters_; }

    /// What of the memory makes no sense, so that the client is no longer listened to; nullptr for nothing.
    const char* broken() const noexcept { return broken_.load(std::memory_order_relaxed); }

    /// How many packets it has posted that have not been taken.
    std::uint32_t outgoing() noexcept;
    /// The first of them. Empty when it cannot be where the client says.
    std::span<const std::byte> front() noexcept;
    void pop() noexcept { ++taken_; }

    /// Gives it a packet. Returns false when it has no room, which is counted.
    bool put(Pieces packet, std::size_t length) noexcept;

    /// Tells the client what has been taken, and what has come.
    void publish() noexcept;

    /// Credit in its turn, in bytes; the exchange's.
    std::int32_t allowance = 0;
    bool in_turn = false;

    /// Learns what follows from the header of a frame that it has sent.
    void note(const std::byte* header) noexcept;
    /// In which of its lives it takes part; 0 before it is a peer of others.
    std::uint32_t epoch() const noexcept { return epoch_; }
    /// It has said bye in that life.
    bool closed() const noexcept { return closed_; }

  private:
    std::span<std::byte> at(Descriptor what) noexcept;
    void condemn(const char* why) noexcept { broken_.store(why, std::memory_order_relaxed); }
    bool has_room() noexcept;

    const Identity identity_;
    runtime::SharedMemory area_memory_;
    runtime::SharedMemory memory_;
    Area& area_;
    std::uint32_t taken_ = 0;  ///< of the packets it posted
    std::uint32_t told_taken_ = 0;
    std::uint32_t filled_ = 0;  ///< of the room it posted
    std::uint32_t told_filled_ = 0;
    std::uint32_t room_until_ = 0;  ///< posted, when we last looked
    std::uint32_t epoch_ = 0;
    bool closed_ = false;
    std::atomic<const char*> broken_{nullptr};
    Counters counters_;
};

}  // namespace isoplane::share
