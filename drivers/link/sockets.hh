// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

// What the kinds over a unix socket (virtio, memif) share: which of two processes serves the socket and which
// connects to it, when both were given the same spec.

#include <chrono>
#include <isoplane/link/spec.hh>
#include <memory>
#include <string>

namespace isoplane::link {

/// The two parts to play: a name for each, as in `side=vhost`, and what marks its lock file.
struct SocketSides {
    std::string key;     ///< option that asks for a side
    std::string server;  ///< listens on the socket
    std::string client;  ///< connects to it
};

/// A side taken; nobody else on this machine can take it while this lives, and it is free again when the
/// process ends, however it ends. The lock is a file beside the socket.
class SocketSide {
  public:
    /// The side that the spec asks for, else the server's when it is free, else the client's. A socket file
    /// that a dead server left is removed. Throws std::runtime_error when the side asked for, or both, are
    /// taken, or the place cannot hold a socket.
    static SocketSide take(const LinkSpec& spec, const SocketSides& sides,
                           const std::string& lock_suffix = {});

    bool serves() const noexcept { return serves_; }
    /// Holds the lock until the last copy of it goes.
    const std::shared_ptr<void>& lock() const noexcept { return lock_; }

  private:
    SocketSide(bool serves, std::shared_ptr<void> lock) : serves_(serves), lock_(std::move(lock)) {}

    bool serves_;
    std::shared_ptr<void> lock_;
};

/// Waits until somebody serves the socket of `spec`. Throws std::runtime_error after `limit`.
void await_server(const LinkSpec& spec, std::chrono::seconds limit);

}  // namespace isoplane::link
