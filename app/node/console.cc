// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "console.hh"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace isoplane::node {

namespace {

using SteadyClock = std::chrono::steady_clock;

/// How often the work is asked whether it is done.
constexpr auto kTick = std::chrono::milliseconds(10);

int milliseconds_until(SteadyClock::time_point when) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(when - SteadyClock::now());
    return static_cast<int>(std::max<std::int64_t>(0, left.count()));
}

}  // namespace

Console::Console(Prompt& prompt, const runtime::StopSignal& signal, std::function<void()> print_stats,
                 std::function<bool()> finished)
    : prompt_(prompt),
      signal_(signal),
      print_stats_(std::move(print_stats)),
      finished_(std::move(finished)) {}

Console::End Console::run(const ConsoleOptions& options) {
    if (const auto end = run_lines(options.commands, "--command")) return *end;
    if (!options.script.empty()) {
        if (const auto end = run_script(options.script)) return *end;
    }
    terminal_ = !options.headless && isatty(STDIN_FILENO) != 0;
    reads_ = !options.headless;
    if (terminal_) prompt_.open_terminal();
    const End end = wait(options);
    if (terminal_) prompt_.close_terminal();
    return end;
}

std::optional<Console::End> Console::run_lines(const std::vector<std::string>& lines,
                                               const std::string& origin) {
    std::size_t number = 0;
    for (const std::string& line : lines) {
        ++number;
        const Prompt::Result result = prompt_.run(line);
        if (result != Prompt::Result::kDone) {
            std::fprintf(stderr, "isoplane node: %s, line %zu: '%s' ended the node\n", origin.c_str(), number,
                         line.c_str());
            return result == Prompt::Result::kUnknown ? End::kWrongCommand : End::kFailed;
        }
        if (prompt_.quit() || signal_.raised()) return End::kAsked;
    }
    return std::nullopt;
}

std::optional<Console::End> Console::run_script(const std::string& file) {
    std::ifstream in(file);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);)
        lines.push_back(line);
    if (!in.eof()) {
        std::fprintf(stderr, "isoplane node: cannot read the commands in '%s': %s\n", file.c_str(),
                     std::strerror(errno));
        return End::kWrongCommand;
    }
    return run_lines(lines, file);
}

Console::End Console::wait(const ConsoleOptions& options) {
    const auto begin = SteadyClock::now();
    auto next_stats = begin + options.stats_period.value_or(std::chrono::nanoseconds(0));
    while (true) {
        if (signal_.raised() || prompt_.quit()) return End::kAsked;
        if (finished_()) return End::kFinished;
        auto next = SteadyClock::now() + kTick;
        if (options.duration) {
            if (SteadyClock::now() >= begin + *options.duration) return End::kTimeUp;
            next = std::min(next, begin + *options.duration);
        }
        if (options.stats_period) {
            if (SteadyClock::now() >= next_stats) {
                print_stats_();
                next_stats = std::max(next_stats + *options.stats_period, SteadyClock::now());
            }
            next = std::min(next, next_stats);
        }
        std::array<pollfd, 2> ready{{{signal_.fd(), POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}}};
        const nfds_t watched = reads_ ? 2 : 1;
        if (::poll(ready.data(), watched, milliseconds_until(next)) <= 0) continue;
        if (watched == 2 && ready[1].revents != 0) {
            if (const auto end = read_input(options.ends)) return *end;
        }
    }
}

std::optional<Console::End> Console::read_input(bool ends) {
    if (!terminal_) return read_piped_lines(ends);
    if (!prompt_.read_terminal()) return End::kAsked;
    return std::nullopt;
}

/// Lines from a pipe or a file on standard input. A wrong one is told and passed over, as at the terminal.
/// Who has nothing to say at all, as /dev/null, does not end what ends by itself.
std::optional<Console::End> Console::read_piped_lines(bool ends) {
    std::array<char, 4096> chunk{};
    const ssize_t n = read(STDIN_FILENO, chunk.data(), chunk.size());
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return std::nullopt;
    if (n <= 0) {
        if (!partial_line_.empty()) prompt_.run(partial_line_);
        reads_ = false;
        return ends && !prompt_.quit() ? std::nullopt : std::optional(End::kAsked);
    }
    partial_line_.append(chunk.data(), static_cast<std::size_t>(n));
    for (std::size_t end = partial_line_.find('\n'); end != std::string::npos;
         end = partial_line_.find('\n')) {
        prompt_.run(partial_line_.substr(0, end));
        partial_line_.erase(0, end + 1);
        if (prompt_.quit()) return End::kAsked;
    }
    return std::nullopt;
}

}  // namespace isoplane::node
