// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace isoplane::topology {

/// Where something stands in a file; both count from 1, and 0 means "not known".
struct Position {
    std::uint32_t line = 0;
    std::uint32_t column = 0;
};

/// What every reader, writer and loader of this library throws, and nothing else.
///
/// `sentence()` says what was found, what was expected and what to do. `what()` is the same behind
/// "file:line:column: " as far as those are known, the form editors jump to.
class Error : public std::runtime_error {
  public:
    Error(std::string file, Position at, std::string sentence);

    const std::string& file() const { return file_; }
    std::uint32_t line() const { return at_.line; }
    std::uint32_t column() const { return at_.column; }
    const std::string& sentence() const { return sentence_; }

  private:
    std::string file_;
    Position at_;
    std::string sentence_;
};

}  // namespace isoplane::topology
