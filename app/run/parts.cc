// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "parts.hh"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace isoplane::run {

namespace fs = std::filesystem;

namespace {

using Words = std::span<const char* const>;

bool is(const char* word, const char* expected) {
    return std::strcmp(word, expected) == 0;
}

[[noreturn]] void refuse_ranks(std::string_view word) {
    throw std::invalid_argument("-n " + std::string(word) + " is no number of ranks: it can be 1 to " +
                                std::to_string(kMaxRanks) + ".");
}

unsigned parse_ranks(std::string_view word) {
    unsigned ranks = 0;
    const char* const last = word.data() + word.size();
    const auto [end, error] = std::from_chars(word.data(), last, ranks);
    if (error != std::errc{} || end != last) refuse_ranks(word);
    check_ranks(ranks);
    return ranks;
}

/// The program of a part: what stands after its "--".
Part program_of(Words words) {
    if (words.empty())
        throw std::invalid_argument("no program after '--': write it there, with its arguments.");
    Part part;
    part.words.assign(words.begin(), words.end());
    return part;
}

/// "-n M -- PROG ARGS" between two ":".
Part further_part(Words words) {
    const auto dashes = std::ranges::find_if(words, [](const char* word) { return is(word, "--"); });
    const auto options = static_cast<std::size_t>(dashes - words.begin());
    const bool counted = options == 2 && is(words[0], "-n");
    if (dashes == words.end() || (options != 0 && !counted))
        throw std::invalid_argument(
            "a part after ':' is written -n N -- PROG ARGS; a ':' meant for a program "
            "itself has to stand in a word with more, as in sh -c ': ...'.");
    Part part = program_of(words.subspan(options + 1));
    if (counted) part.ranks = parse_ranks(words[1]);
    return part;
}

bool is_executable(const std::string& path) {
    struct stat file {};
    return stat(path.c_str(), &file) == 0 && S_ISREG(file.st_mode) && access(path.c_str(), X_OK) == 0;
}

/// Why a file that was named does not run.
std::string refusal(const std::string& path) {
    struct stat file {};
    if (stat(path.c_str(), &file) != 0) return std::strerror(errno);
    if (S_ISDIR(file.st_mode)) return "it is a directory";
    return "it is not executable; `chmod +x` makes it so";
}

}  // namespace

void check_ranks(unsigned ranks) {
    if (ranks == 0 || ranks > kMaxRanks) refuse_ranks(std::to_string(ranks));
}

CommandLine divide(Words words) {
    CommandLine line;
    const auto dashes = std::ranges::find_if(words, [](const char* word) { return is(word, "--"); });
    line.options.assign(words.begin(), dashes);
    if (dashes == words.end()) return line;
    Words rest = words.subspan(line.options.size() + 1);
    for (bool first = true;; first = false) {
        const auto colon = std::ranges::find_if(rest, [](const char* word) { return is(word, ":"); });
        const auto length = static_cast<std::size_t>(colon - rest.begin());
        const Words part = rest.first(length);
        line.parts.push_back(first ? program_of(part) : further_part(part));
        if (colon == rest.end()) return line;
        rest = rest.subspan(length + 1);
    }
}

void count_ranks(std::vector<Part>& parts, std::size_t hosts) {
    std::size_t sum = 0;
    Part* open = nullptr;
    for (Part& part : parts) {
        sum += part.ranks;
        if (part.ranks != 0) continue;
        if (open != nullptr)
            throw std::invalid_argument("-n is missing for '" + open->words[0] + "' and '" + part.words[0] +
                                        "': one program at most may do without.");
        open = &part;
    }
    if (open != nullptr && hosts == 0)
        throw std::invalid_argument("-n is missing for '" + open->words[0] +
                                    "': say how many ranks of it there are, or give a --topology.");
    if (open != nullptr && hosts > sum) {
        open->ranks = static_cast<unsigned>(std::min<std::size_t>(hosts - sum, kMaxRanks + 1));
        sum = hosts;
    } else if (open != nullptr) {
        throw std::invalid_argument("no host of the topology is left for '" + open->words[0] + "'.");
    }
    if (hosts != 0 && sum != hosts)
        throw std::invalid_argument("there are " + std::to_string(sum) + " ranks for the " +
                                    std::to_string(hosts) +
                                    " hosts of the topology: start as many as hosts.");
    if (sum > kMaxRanks)
        throw std::invalid_argument("a job has at most " + std::to_string(kMaxRanks) + " ranks, not " +
                                    std::to_string(sum) + ".");
}

std::string along_path(const std::string& name, const std::vector<std::string>& further) {
    const char* const path = std::getenv("PATH");
    std::istringstream along(path == nullptr ? "/usr/bin:/bin" : path);
    std::vector<std::string> directories;
    for (std::string directory; std::getline(along, directory, ':');)
        directories.push_back(directory.empty() ? "." : directory);
    directories.insert(directories.end(), further.begin(), further.end());
    for (const std::string& directory : directories) {
        std::string candidate = directory + "/" + name;
        if (is_executable(candidate)) return candidate;
    }
    return {};
}

std::vector<std::string> directories_of_examples() {
    const fs::path program = fs::read_symlink("/proc/self/exe").parent_path();
    const fs::path installed = fs::path(ISOPLANE_EXAMPLES).lexically_relative(ISOPLANE_BINDIR);
    return {(program / installed).lexically_normal(), program / "examples"};
}

std::string find_program(const std::string& word, const std::vector<std::string>& further) {
    if (word.find('/') != std::string::npos) {
        if (is_executable(word)) return word;
        throw std::invalid_argument("'" + word + "' cannot be executed: " + refusal(word) + ".");
    }
    if (std::string path = along_path(word, further); !path.empty()) return path;
    throw std::invalid_argument("there is no program '" + word + "' along PATH: write its path, such as ./" +
                                word + ".");
}

}  // namespace isoplane::run
