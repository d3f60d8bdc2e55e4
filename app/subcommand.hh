// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <functional>

#include "options.hh"

namespace isoplane::app {

/// Runs a subcommand: parses its arguments as parse_options() does, and calls `work` with what they are. What
/// that throws ends in a sentence on standard error: as wrong usage when it is std::invalid_argument, else as
/// a run that has failed. Returns the exit code.
int run_subcommand(const Usage& usage, boost::program_options::options_description& visible, int argc,
                   char** argv, const boost::program_options::positional_options_description& positional,
                   const std::function<int(const boost::program_options::variables_map&)>& work);

}  // namespace isoplane::app
