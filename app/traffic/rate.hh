// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <isoplane/runtime/time.hh>
#include <optional>
#include <string_view>

namespace isoplane::traffic {

/// How fast to send: so many frames or bits a second; neither means as fast as it goes.
struct Rate {
    double frames_per_second = 0;
    double bits_per_second = 0;
};

/// Nanoseconds from a frame of so many bytes to the next; 0 without a limit.
double interval(const Rate& rate, std::size_t frame_size);

/// "max", "1000pps", "2Mpps", "100kbit", "1Gbit"; as well "1 Gbit/s". Throws std::invalid_argument with a
/// sentence.
Rate parse_rate(std::string_view text);

/// Spaces frames of one size evenly, from the first time it is asked. After a pause it catches up with one
/// burst, not with all it missed.
class Pacer {
  public:
    Pacer(const Rate& rate, std::uint16_t frame_size);

    /// How many of `want` frames are due at `now`.
    std::uint16_t take(runtime::Time now, std::uint16_t want) noexcept;
    void give_back(std::uint16_t n) noexcept {
        if (next_) *next_ -= interval_ * n;
    }

  private:
    runtime::Duration interval_{0};        ///< between frames; 0 without a limit
    std::optional<runtime::Time> next_{};  ///< when the next frame is due; nothing before the first take()
};

}  // namespace isoplane::traffic
