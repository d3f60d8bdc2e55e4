// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <isoplane/runtime/stop_signal.hh>

#include "prompt.hh"

namespace isoplane::node {

struct ConsoleOptions {
    std::vector<std::string> commands;  ///< run first, in order
    std::string script;                 ///< a file of commands, run next; empty for none
    bool headless = false;              ///< does not read standard input
    bool ends = false;                  ///< without the end of standard input
    std::optional<std::chrono::nanoseconds> duration;
    std::optional<std::chrono::nanoseconds> stats_period;
};

/// The control thread of a node: commands, statistics, signals, and the end.
class Console {
  public:
    enum class End : std::uint8_t {
        kFinished,      ///< the work was done
        kAsked,         ///< quit, a signal, or the end of input, if nothing else ends it
        kTimeUp,        ///< --duration is over
        kFailed,        ///< a command of a script failed
        kWrongCommand,  ///< a script has a line that is no command
    };

    /// `print_stats` is called every period, `finished` is asked often.
    Console(Prompt& prompt, const runtime::StopSignal& signal, std::function<void()> print_stats,
            std::function<bool()> finished);

    /// Runs until something ends it.
    End run(const ConsoleOptions& options);

  private:
    std::optional<End> run_lines(const std::vector<std::string>& lines, const std::string& origin);
    std::optional<End> run_script(const std::string& file);
    std::optional<End> read_input(bool ends);
    std::optional<End> read_piped_lines(bool ends);
    End wait(const ConsoleOptions& options);

    Prompt& prompt_;
    const runtime::StopSignal& signal_;
    std::function<void()> print_stats_;
    std::function<bool()> finished_;
    bool terminal_ = false;
    bool reads_ = false;  ///< standard input, until that has ended
    std::string partial_line_;
};

}  // namespace isoplane::node
