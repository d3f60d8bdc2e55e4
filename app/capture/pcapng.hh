// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Capture files as a diagram needs them, and as a simulation writes them.
///
/// libpcap reads pcapng too, but keeps to itself by which interface a frame passed and in which direction.
/// What it leaves out is little: a file is a list of blocks, of which three kinds matter.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <isoplane/runtime/pcapng.hh>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace isoplane::capture {

using Time = std::chrono::nanoseconds;

using runtime::pcapng::Direction;

struct Frame {
    Time when{0};  ///< read: since the first frame of the file; before it where the file is not in order
    std::uint32_t interface = 0;
    Direction direction = Direction::kUnknown;
    std::vector<std::byte> bytes;  ///< from its Ethernet header on
    bool cut = false;              ///< it was longer on the wire
};

/// What a time stamp counts.
struct Resolution {
    std::uint64_t ticks = 1'000'000;  ///< of a second
    std::uint64_t parts = 1;          ///< of a tick: how many of them it counts where that is finer
};

/// Reads the frames of a pcapng file one after the other, in the order in which they were written: that is
/// nearly, but not quite, the order in time.
class Reader {
  public:
    /// Throws std::runtime_error with a sentence when the file cannot be read, is empty or is something else.
    explicit Reader(const std::string& file);

    /// Fills `frame`, whose memory is used again. False at the end, and where the file is damaged.
    bool next(Frame& frame);

    /// After next() was false: why it could not go on, in a sentence; empty at the end.
    const std::string& damage() const noexcept { return damage_; }

  private:
    struct Interface {
        bool ethernet = false;
        Resolution resolution{};
        std::uint64_t offset = 0;  ///< nanoseconds that its times are after its time stamps, modulo 2^64
    };

    bool next_block();
    bool skip_block(std::size_t length);
    bool damaged(const std::string& how);
    std::uint16_t half(std::size_t at) const;
    std::uint32_t word(std::size_t at) const;
    std::uint64_t wide(std::size_t at) const;
    bool add_interface();
    bool read_packet(Frame& frame);
    template <typename Take>
    void for_each_option(std::size_t at, Take take) const;

    std::string file_;
    std::ifstream in_;
    bool foreign_ = false;  ///< in the byte order that is not this machine's
    std::uint32_t type_ = 0;
    std::vector<std::byte> body_;
    std::vector<Interface> interfaces_;
    std::uint64_t blocks_ = 0;
    std::optional<std::uint64_t> first_;  ///< when the first frame passed, in nanoseconds
    std::string damage_;
};

/// Writes a pcapng file of Ethernet frames, at times in nanoseconds.
class Writer {
  public:
    /// Throws std::runtime_error with a sentence when the file cannot be made.
    explicit Writer(const std::string& file);

    /// Returns the number by which frames name it. All of them come before the first frame.
    std::uint32_t add_interface(const std::string& name);
    void add(std::uint32_t interface, Direction direction, Time when, std::span<const std::byte> frame);

    /// Throws std::runtime_error with a sentence unless all of it is in the file.
    void finish();

  private:
    void write_block();

    std::string file_;
    std::ofstream out_;
    std::string block_{};  ///< the one to be written
    std::uint32_t interfaces_ = 0;
};

}  // namespace isoplane::capture
