// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <isoplane/runtime/edge.hh>
#include <isoplane/runtime/packet_filter.hh>
#include <isoplane/runtime/pcapng.hh>
#include <isoplane/runtime/pool.hh>

namespace isoplane::runtime {

class CaptureFiles;
class CaptureTap;

struct CaptureOptions {
    std::string file;
    std::string filter{};   ///< as tcpdump takes it; empty for all packets
    std::string comment{};  ///< on the whole of it, in the file
    /// Bytes after which another file is begun, called FILE-00001 and so on before its extension; 0 for one
    /// file of any size.
    std::uint64_t file_size = 0;
    unsigned files = 0;  ///< of these the newest are kept; 0 for all
};

/// Copies what passes some edges into a pcapng file that Wireshark opens.
///
/// The lcores only copy into a pool of the capture's own; a thread writes. What the disk cannot follow is
/// counted as missed, never waited for: the packet behind it says so in its comment, and the file in its
/// statistics. Edges must be detached (set_tap(nullptr)) before the capture goes.
class Capture {
  public:
    using Direction = pcapng::Direction;

    struct Figures {
        std::uint64_t written = 0;
        std::uint64_t missed = 0;  ///< copies that found no room in pool or ring, or could not be written
        std::uint64_t files = 0;   ///< begun
        std::string file;          ///< that is written to
        std::string error;         ///< why writing ended early; empty while all is well
    };

    /// MB of memory that one with so many taps takes in ordinary pages.
    static unsigned memory_mb(std::size_t taps);

    /// Throws std::runtime_error or std::invalid_argument with a sentence when the file cannot be made, or
    /// the filter is none.
    explicit Capture(const CaptureOptions& options);
    ~Capture();
    Capture(const Capture&) = delete;
    Capture& operator=(const Capture&) = delete;

    /// Something that packets pass, as the file is to call it. Its taps are named by the number returned.
    std::uint32_t add_interface(const std::string& name, const std::string& description);
    /// For one edge; owned by the capture.
    Tap& tap(std::uint32_t interface, Direction direction);

    /// Writes what the lcores have handed over so far, closes the file and tells what came of it.
    Figures finish();
    Figures figures() const;
    const CaptureOptions& options() const noexcept { return options_; }

  private:
    void write_loop();
    bool write_waiting();
    bool write_waiting(CaptureTap& tap);
    void add_block(CaptureTap& tap, rte_mbuf* copy);
    void write_statistics();
    std::uint64_t nanoseconds(std::uint64_t cycles) const noexcept;

    CaptureOptions options_;
    PacketFilter filter_;
    std::uint64_t start_cycles_;
    std::uint64_t start_nanoseconds_;
    std::uint64_t hertz_;
    Pool pool_;
    std::unique_ptr<CaptureFiles> files_;
    std::vector<std::unique_ptr<CaptureTap>> taps_{};
    std::uint32_t interfaces_ = 0;
    mutable std::mutex mutex_{};  ///< guards taps_, files_ and the counts; the lcores never take it
    std::uint64_t written_ = 0;
    std::uint64_t unwritten_ = 0;
    std::string blocks_{};             ///< to be written
    std::vector<std::size_t> ends_{};  ///< of each of them
    std::atomic<bool> end_{false};
    std::thread writer_{};
};

}  // namespace isoplane::runtime
