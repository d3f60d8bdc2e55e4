// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <isoplane/link/link.hh>
#include <isoplane/runtime/histogram.hh>
#include <isoplane/runtime/packet.hh>
#include <isoplane/runtime/pool.hh>
#include <isoplane/runtime/time.hh>

#include "replay/rewrite.hh"
#include "replay/speed.hh"
#include "replay/trace.hh"

namespace isoplane::replay {

/// What became of a trace.
struct Played {
    std::uint64_t frames = 0;
    std::uint64_t bytes = 0;
    std::uint64_t cut = 0;       ///< sent as short as they were captured
    std::uint64_t too_long = 0;  ///< not sent: longer than the link takes
    std::uint64_t runts = 0;     ///< not sent: without an Ethernet header
    std::uint64_t sealed = 0;    ///< sent with the node numbers that they had
    std::uint64_t kept = 0;      ///< the same, as they cannot have others
    double seconds = 0;
    runtime::Histogram late{};  ///< nanoseconds by which frames left after they were due
};

/// Sends frames when they are due. Polled by one thread, whose clock it reads: what it does is about time.
class Player {
  public:
    /// Of 64 packets at least. `stopped` is asked while it waits.
    Player(runtime::Output& out, runtime::Pool& pool, unsigned mtu, std::function<bool()> stopped);
    ~Player();
    Player(const Player&) = delete;
    Player& operator=(const Player&) = delete;

    /// Takes one frame, due so long after begin(); waits for that. False once it is stopped. Throws
    /// std::runtime_error when the link takes nothing any more.
    bool play(const TraceFrame& frame, Time due, bool timed, const Rewrite& rewrite);
    void begin();
    /// Sends what has been taken. False once it is stopped.
    bool flush();
    bool stopped() const { return stopped_(); }

    const Played& finish();
    const Played& played() const noexcept { return played_; }

  private:
    /// What is counted of a frame once it has left.
    struct Leaving {
        runtime::Time due{};
        std::size_t bytes = 0;
        bool cut = false;
        Numbers numbers{};
    };

    bool wait_until(runtime::Time when);
    void count(const Leaving& frame, runtime::Time now);

    runtime::Output& out_;
    runtime::Pool& pool_;
    std::size_t longest_;
    std::function<bool()> stopped_;
    runtime::TscClock clock_{};
    runtime::Time start_{};
    Played played_{};
    runtime::Burst burst_{};
    std::array<Leaving, runtime::kBurst> leaving_{};  ///< the burst
    std::uint16_t waiting_ = 0;
    bool timed_ = false;
};

}  // namespace isoplane::replay
