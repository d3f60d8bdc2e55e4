// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <span>
#include <string>
#include <vector>

namespace isoplane::run {

/// "-n 3 -- PROG ARGS": so many ranks of one program.
struct Part {
    unsigned ranks = 0;  ///< 0: the number was left out
    std::vector<std::string> words;
    std::string path;  ///< of the file that words[0] names; see find_program()
};

/// A job has no more ranks than this: each takes two descriptors of the launcher.
inline constexpr unsigned kMaxRanks = 256;

/// The command line, divided: the launcher's own options with those of the first part, the first program, and
/// whole further parts.
struct CommandLine {
    std::vector<std::string> options;  ///< argv[0] and all up to the first "--"
    std::vector<Part> parts;           ///< the first without its number, which is among the options
};

/// Throws std::invalid_argument unless a part can have so many ranks.
void check_ranks(unsigned ranks);

/// Divides at the first "--", and at each word ":" after it. Throws std::invalid_argument, with a sentence,
/// for a part without a program and a wrong number of ranks.
CommandLine divide(std::span<const char* const> words);

/// Gives the one part that may have left out its number what the others leave of `hosts`. Throws
/// std::invalid_argument when that cannot be (`hosts` is 0 when no topology says how many there are), or the
/// sum is another.
void count_ranks(std::vector<Part>& parts, std::size_t hosts);

/// The file of a program that is called so, along PATH and then in `further` directories; empty when there is
/// none.
std::string along_path(const std::string& name, const std::vector<std::string>& further = {});

/// Where the examples are: as they are installed, and as they are built, seen from where this program is.
std::vector<std::string> directories_of_examples();

/// The file that runs for a word, looked for along PATH as a shell does, and then in `further` directories.
/// Throws std::invalid_argument when there is none, or it cannot be executed.
std::string find_program(const std::string& word, const std::vector<std::string>& further = {});

}  // namespace isoplane::run
