// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <pcap/pcap.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "replay/live_input.hh"

namespace isoplane::replay {

using Time = std::chrono::nanoseconds;

/// A frame of a trace, valid until the next is read.
struct TraceFrame {
    std::span<const std::byte> bytes;  ///< from an Ethernet header on
    Time when{0};                      ///< since the first frame of the trace that passed the filter
    std::uint32_t length = 0;          ///< on the wire; more than there are bytes when it was cut
};

/// Reads a pcap or pcapng file frame by frame, whatever its size, with what libpcap reads of both.
///
/// Frames come out as Ethernet: those that were captured without a link header, or with that of Linux's "any"
/// interface or of a loopback, get one with addresses of zero and the protocol that they had.
class Trace {
  public:
    /// `filter` as tcpdump takes it; empty for all frames. "-" is standard input. Throws std::runtime_error
    /// with a sentence.
    Trace(std::string file, const std::string& filter);

    /// Has `goes_on` asked before next() or rewind() wait for another program to write more, as that to a
    /// pipe does, and while they wait. It has to live as long as they are called, and what it throws comes
    /// out of them.
    void while_waiting(std::function<bool()> goes_on) { input_.while_waiting(std::move(goes_on)); }

    /// Whether that has said no: there is no more to come, and nothing is known of the rest.
    bool given_up() const noexcept { return input_.given_up(); }

    /// False at the end, where the file is damaged or cut, and once it is given up.
    bool next(TraceFrame& frame);

    /// After next() was false: what is wrong with the rest, in a sentence; empty at the end.
    const std::string& damage() const noexcept { return damage_; }

    std::uint64_t frames() const noexcept { return frames_; }
    std::uint64_t bytes() const noexcept { return bytes_; }  ///< of those frames

    /// How much of the file has been read, 0 to 1; nothing when that cannot be told.
    std::optional<double> progress() const;

    /// Begins anew.
    void rewind();

  private:
    enum class Framing : std::uint8_t { kEthernet, kIp, kLoopback, kCooked, kCooked2 };

    struct Close {
        void operator()(pcap_t* handle) const noexcept { pcap_close(handle); }
    };

    void open();
    pcap_t* open_live(char* problem);
    void break_off();
    std::span<const std::byte> as_ethernet(std::span<const std::byte> bytes);

    std::string file_;
    std::string filter_;
    LiveInput input_{};  ///< under the handle, where the file is no regular one
    std::unique_ptr<pcap_t, Close> handle_{};
    Framing framing_ = Framing::kEthernet;
    std::uint64_t size_ = 0;  ///< of the file
    std::uint64_t frames_ = 0;
    std::uint64_t bytes_ = 0;
    Time first_{0};
    std::vector<std::byte> rewritten_{};
    std::string damage_{};
};

}  // namespace isoplane::replay
