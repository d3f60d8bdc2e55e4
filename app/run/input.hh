// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <poll.h>

#include <string>
#include <vector>

#include "descriptor.hh"

namespace isoplane::run {

/// Standard input for rank 0.
///
/// A file or pipe is handed over as it is: what the rank does not read stays for others. A terminal cannot
/// be, since the kernel stops who reads it from outside the foreground group: it is read here, while we are
/// in that group, and passed on through a pipe.
class Input {
  public:
    Input();

    /// What rank 0 gets as its standard input.
    int for_rank() const { return terminal_ ? pipe_.reads.get() : 0; }
    /// The rank has it: our own copy goes.
    void handed_over() { pipe_.reads.reset(); }

    /// Adds what to wait for.
    void watch(std::vector<pollfd>& set) const;
    /// Acts on what came of it.
    void act(const pollfd& ready);

  private:
    void read_terminal();
    void write_pipe();

    bool terminal_;
    Pipe pipe_;
    std::string typed_;
};

}  // namespace isoplane::run
