// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <span>
#include <string>
#include <string_view>

namespace isoplane::app {

/// What a process started from a command line says with its exit code.
enum ExitCode : int {
    kSuccess = 0,
    kRunFailed = 1,
    kWrongUsage = 2,
};

/// A subcommand of the isoplane program.
///
/// `run` gets the arguments after the program's name: argv[0] is the subcommand itself. It answers `--help`
/// on standard output with every option it has, two leading dashes each, which is what completion reads.
struct Command {
    std::string_view name;
    std::string_view summary;  ///< one line, for `isoplane --help`
    int (*run)(int argc, char** argv);
};

/// Runs the subcommand that argv[1] names, or answers --help, --version and `help [COMMAND]` itself.
/// Returns the process's exit code.
int dispatch(std::span<const Command> commands, int argc, char** argv);

/// The command whose name is nearest to a mistyped `word`; empty when none is near enough to be meant.
std::string_view nearest(std::span<const Command> commands, std::string_view word);

}  // namespace isoplane::app
