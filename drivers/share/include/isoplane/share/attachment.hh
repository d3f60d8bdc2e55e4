// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <chrono>
#include <isoplane/runtime/shared_memory.hh>
#include <string>

#include <isoplane/share/area.hh>
#include <isoplane/share/identity.hh>

namespace isoplane::share {

/// A client's place at a shared node, for as long as this lives and the node does.
class Attachment {
  public:
    /// Registers at the node that listens at `path`, for which it waits so long. `memory` is what packets
    /// that are sent lie in, and room for those that come; it outlives this. Throws std::runtime_error with
    /// a sentence when nobody listens there, or the node says no.
    Attachment(const std::string& path, const Identity& who, const runtime::SharedMemory& memory,
               std::chrono::seconds patience);
    ~Attachment();
    Attachment(const Attachment&) = delete;
    Attachment& operator=(const Attachment&) = delete;

    Area& area() noexcept { return *reinterpret_cast<Area*>(area_.bytes().data()); }
    unsigned mtu() const noexcept { return mtu_; }

    /// The node is there.
    bool alive() const noexcept;
    /// Whether the node touches the memory no more. If not, as it has not answered within `limit`, nobody
    /// else may use what it was lent.
    bool leave(std::chrono::milliseconds limit = std::chrono::seconds(10)) noexcept;

  private:
    runtime::SharedMemory area_;
    int socket_ = -1;
    unsigned mtu_ = 0;
};

}  // namespace isoplane::share
