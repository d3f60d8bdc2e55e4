// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>

namespace isoplane::runtime {

/// The file that a capture is written to, or one after the other of which the newest are kept. Each begins
/// with the section and all interfaces, and ends with a whole block whatever happens.
class CaptureFiles {
  public:
    /// With `size`, another file is begun before one is larger than that, NAME-00001.EXTENSION and so on, and
    /// of these the newest `kept` stay; 0 for all. Throws std::runtime_error with a sentence when the first
    /// cannot be made.
    CaptureFiles(std::string file, std::uint64_t size, unsigned kept, std::string section);
    ~CaptureFiles();
    CaptureFiles(const CaptureFiles&) = delete;
    CaptureFiles& operator=(const CaptureFiles&) = delete;

    /// A block that each file has to begin with.
    void begin_with(const std::string& block);

    /// Whether so many more bytes are too many for this file.
    bool is_full_for(std::size_t bytes) const noexcept { return most_ != 0 && size_ + bytes > most_; }
    /// It has nothing yet but what all begin with.
    bool is_new() const noexcept { return size_ <= preamble_.size(); }
    void begin_next();

    /// Writes blocks that end at these offsets. Returns how many of them are in the file whole; less than all
    /// set error().
    std::size_t write(const std::string& blocks, std::span<const std::size_t> ends);
    void close();

    /// Why nothing is written any more, in a sentence; empty while all is well.
    const std::string& error() const noexcept { return error_; }
    const std::string& current() const noexcept { return current_; }
    std::uint64_t begun() const noexcept { return begun_; }

  private:
    void open();
    bool put(const std::string& bytes);

    std::string file_;
    std::uint64_t most_;
    unsigned kept_;
    std::string preamble_;
    std::string current_{};
    std::deque<std::string> older_{};  ///< of those that are kept
    int fd_ = -1;
    std::uint64_t size_ = 0;
    std::uint64_t begun_ = 0;
    std::string error_{};
};

}  // namespace isoplane::runtime
