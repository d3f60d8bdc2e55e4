// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

// What the four readers share: lines, words with their columns, numbers, names, and words quoted for an
// error. Everything is linear in its input, and no byte of it is special beyond blank, newline and '#'.

#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <isoplane/topology/error.hh>
#include <isoplane/topology/file.hh>
#include <isoplane/topology/limits.hh>
#include <isoplane/topology/nearest.hh>

namespace isoplane::topology {

/// Blank, tab and the carriage return of files from other systems.
inline constexpr std::string_view kBlanks = " \t\r";

/// For an error: in quotes, cut to a readable length, bytes that do not print as \xNN.
std::string quote(std::string_view text);

/// "1 port", "2 ports".
std::string count(std::size_t n, std::string_view one);

std::string_view trim(std::string_view text);

/// A decimal number that fills the whole of `text` and is at most `most`.
template <typename T>
std::optional<T> parse_number(std::string_view text, T most = std::numeric_limits<T>::max()) {
    T value{};
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (text.empty() || error != std::errc{} || stop != end || value > most) return std::nullopt;
    return value;
}

bool all_digits(std::string_view text);

/// What is wrong with `name` as the name of a host, as a sentence; empty when nothing is.
std::string name_fault(std::string_view name);

/// The lines of a text, one at a time.
class Lines {
  public:
    Lines(std::string_view text, std::string_view file);

    /// The next line without its comment and outer blanks; lines with nothing else on them are left out.
    bool next();

    std::string_view text() const { return line_; }
    Position at() const { return {number_, offset_ + 1}; }
    /// The position of a word that is part of text().
    Position at(std::string_view part) const;

    [[noreturn]] void refuse(Position position, std::string sentence) const;

  private:
    std::string_view rest_;
    std::string file_;
    std::string_view line_;
    std::uint32_t number_ = 0;
    std::uint32_t offset_ = 0;
};

/// Takes a text apart: each call removes and returns what it found at the front, after blanks.
class Cursor {
  public:
    explicit Cursor(std::string_view text) : rest_(text) {}

    /// Everything up to the next blank or byte of `stops`; empty at the end or in front of a stop.
    std::string_view word(std::string_view stops = {});
    /// Removes `c` when it is next.
    bool take(char c);
    /// What is left after blanks.
    std::string_view rest();

  private:
    std::string_view rest_;
};

}  // namespace isoplane::topology
