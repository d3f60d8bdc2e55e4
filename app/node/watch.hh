// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace isoplane::node {

/// Says on standard error what is wrong with a node: once when it begins, and once when it is over.
class Watch {
  public:
    using Clock = std::chrono::steady_clock;

    /// `trouble` returns a sentence while something is wrong with `who`, and an empty one else; `over` is
    /// said when nothing is wrong any more.
    void add(const std::string& who, std::function<std::string()> trouble, const std::string& over) {
        watched_.push_back({who, std::move(trouble), over, {}});
    }

    /// Asks all of them, if the last time is long enough ago.
    void look(Clock::time_point now);

  private:
    struct Watched {
        std::string who;
        std::function<std::string()> trouble;
        std::string over;
        std::string said;
    };

    std::vector<Watched> watched_;
    Clock::time_point again_{};
};

}  // namespace isoplane::node
