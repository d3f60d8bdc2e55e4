// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// What a benchmark measures: one end of something that carries messages.
///
/// All transports mean the same by a message, or they could not be compared: `size` bytes in memory of the
/// sender's user that arrive in memory of the receiver's.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>

namespace isoplane::perf {

/// Everything is called by the lcore of the end, and nothing waits.
template <typename T>
concept Transport = requires(T end, std::span<const std::byte> message, std::span<std::byte> room) {
    /// The other end can be sent to. Called until it is true, like poll().
    { end.ready() } -> std::same_as<bool>;
    /// From here on all messages have this size; what is left of others is thrown away, and so is what has
    /// come and not been received. Called at both ends before either sends.
    {end.begin(message.size())};
    /// Takes a message, which stays as it is until the measurement is over. False when there is no room now.
    { end.send(message) } -> std::same_as<bool>;
    /// Moves what was sent to the other end, and what came from there to where receive() finds it. Returns
    /// whether there was any of it, since the poll before.
    { end.poll() } -> std::same_as<bool>;
    /// Copies a message that has come into `room`. False when there is none yet.
    { end.receive(room) } -> std::same_as<bool>;
    /// All that was sent has left for good, and nothing is known to be half received.
    { end.settled() } -> std::same_as<bool>;
};

/// Messages that are sent, at most, between two polls: what an application that has many does, and what lets
/// the system calls of sockets carry several.
inline constexpr unsigned kBatch = 32;

// An end whose messages can be answered where they arrive has answer(bool): in the measurement that begins
// next, each is answered with itself, and receive() finds the answers at its sender only. One that can send
// on what has come has relay(): the next message, as it is; false when there is none, or no room. One that
// cannot have messages of any size has carries(size).

// One that loses what comes while much waits to be received has kTaken: how much is, at most, between two
// polls.

// An end that puts messages in their place by itself has use(room), too: before begin(), the memory that
// receive() will be called with.

}  // namespace isoplane::perf
