// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace isoplane::run {

/// A longer line is broken: what waits for its end has to fit into memory, for every rank.
inline constexpr std::size_t kLongestLine = std::size_t{1} << 20;

/// "[3] " for rank 3, with blanks in front of the number when the largest rank has more digits.
std::string rank_label(unsigned rank, unsigned ranks);

/// Makes labelled lines of the bytes of one stream. Bytes other than the line end mean nothing to it.
class LineSplitter {
  public:
    explicit LineSplitter(std::string label) : label_(std::move(label)) {}

    /// Takes what was read, and appends the lines that are whole now to `out`.
    void take(std::string_view bytes, std::string& out);
    /// The stream has ended: a last line without its end gets one.
    void finish(std::string& out);

  private:
    void emit(std::string_view rest, std::string& out);

    std::string label_;
    std::string begun_;  ///< of the line whose end has not come yet
};

}  // namespace isoplane::run
