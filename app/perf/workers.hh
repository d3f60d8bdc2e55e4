// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <functional>

#include <isoplane/runtime/idle.hh>

namespace isoplane::perf {

/// Two worker lcores, one for each side of a measurement.
class Workers {
  public:
    explicit Workers(runtime::IdlePolicy idle) : idle_(idle) {}

    /// Runs a function on each, from the same moment on, and returns when both have ended. The caller sleeps
    /// meanwhile, so that it takes no CPU from them.
    void run(const std::function<void()>& a, const std::function<void()>& b);

    /// How a side waits for the other.
    runtime::Idler idler() const noexcept { return runtime::Idler(idle_); }

  private:
    runtime::IdlePolicy idle_;
};

}  // namespace isoplane::perf
