// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <signal.h>

#include <optional>

#include "descriptor.hh"

namespace isoplane::run {

/// The signals that the launcher acts on, as a descriptor. They are blocked from here on; `before` is the
/// mask that children get.
class Signals {
  public:
    Signals();
    ~Signals();
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;

    int fd() const { return fd_.get(); }
    const sigset_t& before() const { return before_; }
    /// The next that came; none when there is no more.
    std::optional<int> take();

    /// Whether it asks for the end of the job, rather than telling the ranks something.
    static bool ends(int number);

  private:
    sigset_t before_{};
    Descriptor fd_;
};

}  // namespace isoplane::run
