// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "escalation.hh"
#include "fabric.hh"
#include "job_conf.hh"
#include "links.hh"
#include "parts.hh"

namespace isoplane::run {

/// What the command line says, checked: each part has its number of ranks and its program.
struct RunCommand {
    std::vector<Part> parts;
    unsigned ranks = 0;
    LinkKind link = LinkKind::kVirtio;
    JobConf conf;
    unsigned planes = 1;
    bool shared = false;     ///< ranks are clients of one node, instead of having links to a fabric each
    bool launcher = false;   ///< the program starts the ranks itself
    bool has_fabric = true;  ///< else hosts have links of their own
    FabricOptions fabric;
    bool has_managers = true;  ///< the fabric runs the token managers, too
    Clock::duration grace{};
    std::optional<Clock::duration> timeout;
    bool keep_going = false;  ///< without a rank that has failed
    bool labels = true;
    bool statistics = false;
};

/// Returns what to run, or the exit code to end with: 0 after --help, 2 after a sentence that says what was
/// wrong.
std::variant<RunCommand, int> parse_run_command(int argc, char** argv);

}  // namespace isoplane::run
