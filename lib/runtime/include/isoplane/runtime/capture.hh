// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <isoplane/runtime/edge.hh>
#include <isoplane/runtime/pool.hh>

struct rte_pcapng;

namespace isoplane::runtime {

/// Copies what passes some edges into a pcapng file that Wireshark opens.
///
/// The lcores only copy into a pool of the capture's own; a thread writes. What the disk cannot follow is
/// counted as missed, never waited for. Edges must be detached (set_tap(nullptr)) before the capture goes.
class Capture {
  public:
    enum class Direction : std::uint8_t { kReceived, kSent };

    struct Figures {
        std::uint64_t written = 0;
        std::uint64_t missed = 0;  ///< copies that found no room in pool or ring, or could not be written
        std::string error;         ///< why writing ended early; empty while all is well
    };

    /// Throws std::runtime_error with a sentence when the file cannot be made.
    explicit Capture(const std::string& file);
    ~Capture();
    Capture(const Capture&) = delete;
    Capture& operator=(const Capture&) = delete;

    /// A tap for one edge of ethdev port `port_id`; owned by the capture.
    Tap& tap(std::uint16_t port_id, Direction direction);

    /// Writes what the lcores have handed over so far, closes the file and tells what came of it.
    Figures finish();
    Figures figures() const;
    const std::string& file() const noexcept { return file_; }

  private:
    class PortTap;
    void write_loop();
    bool write_waiting();
    std::uint16_t write(rte_mbuf** packets, std::uint16_t n);

    std::string file_;
    int fd_;
    rte_pcapng* out_ = nullptr;
    Pool pool_;
    std::vector<std::unique_ptr<PortTap>> taps_;
    mutable std::mutex mutex_;  ///< guards taps_, written_ and error_; the lcores never take it
    std::uint64_t written_ = 0;
    std::uint64_t unwritten_ = 0;
    std::string error_;
    std::atomic<bool> end_{false};
    std::thread writer_;
};

}  // namespace isoplane::runtime
