// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <chrono>
#include <map>
#include <string>

#include <isoplane/runtime/engine.hh>

namespace isoplane::node {

/// The rates of all stages since it was last asked: the table behind --stats-period.
class Rates {
  public:
    explicit Rates(runtime::Engine& engine) : engine_(engine) {}

    /// One line a stage: packets and bits a second in and out, cycles a packet, how busy; all of them since
    /// the last time.
    std::string table();

  private:
    struct Seen {
        std::uint64_t in_packets = 0;
        std::uint64_t in_bytes = 0;
        std::uint64_t out_packets = 0;
        std::uint64_t out_bytes = 0;
        std::uint64_t sampled_cycles = 0;
        std::uint64_t busy_cycles = 0;
        std::uint64_t sampled_packets = 0;
    };

    runtime::Engine& engine_;
    std::map<std::string, Seen> seen_;
    std::chrono::steady_clock::time_point when_ = std::chrono::steady_clock::now();
};

}  // namespace isoplane::node
