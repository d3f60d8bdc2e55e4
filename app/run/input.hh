// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <poll.h>

#include <vector>

#include "descriptor.hh"
#include "feed.hh"

namespace isoplane::run {

/// Standard input for rank 0.
///
/// A file or pipe is handed over as it is: what the rank does not read stays for others. A terminal cannot
/// be, since the kernel stops who reads it from outside the foreground group: it is read here, while we are
/// in that group, and passed on through a pipe.
class Input {
  public:
    /// The descriptor that the rank gets as its standard input. Nobody's input is read before this is called.
    int open();
    /// The rank has it: our own copy goes.
    void handed_over() { reads_.reset(); }

    /// Adds what to wait for.
    void watch(std::vector<pollfd>& set) const;
    /// Acts on what came of it.
    void act(const pollfd& ready);

  private:
    Descriptor reads_;
    Feed typed_;
};

}  // namespace isoplane::run
