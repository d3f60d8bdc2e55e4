// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <poll.h>

#include <string>
#include <string_view>
#include <vector>

#include "descriptor.hh"

namespace isoplane::run {

/// The writing end of a pipe of ours, and what still has to go through it without blocking.
class Feed {
  public:
    Feed() = default;
    explicit Feed(Descriptor to);

    void put(std::string_view bytes) { left_ += bytes; }
    /// Whether somebody may still read it, and whether it has something for them.
    bool open() const { return static_cast<bool>(to_); }
    bool pending() const { return open() && !left_.empty(); }
    void close() { to_.reset(); }

    /// Adds what to wait for, if anything.
    void watch(std::vector<pollfd>& set) const;
    /// Whether `ready` is its pipe; if so, writes what goes.
    bool act(const pollfd& ready);

  private:
    Descriptor to_;
    std::string left_;
};

}  // namespace isoplane::run
