// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace isoplane::replay {

/// How much of a trace has been read, on a line of a terminal at standard error; nothing where there is none.
class ProgressBar {
  public:
    /// When the command prints. Lines that come meanwhile would be mixed with the bar on a terminal, and in a
    /// pager behind a pipe; so there is one only while they go to a file.
    enum class Prints : std::uint8_t { kAtTheEnd, kMeanwhile };

    explicit ProgressBar(Prints prints);
    ~ProgressBar() { clear(); }
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    /// Whether it is time to show() something else; for each frame, as what to show may cost something.
    bool due() const { return shown_ && std::chrono::steady_clock::now() >= next_; }

    /// `part` of the trace, 0 to 1, if that can be told.
    void show(std::optional<double> part, std::uint64_t frames, std::uint64_t bytes);

    /// Leaves an empty line, for what is printed next.
    void clear();

  private:
    bool shown_;
    bool drawn_ = false;
    std::chrono::steady_clock::time_point next_{};
};

}  // namespace isoplane::replay
