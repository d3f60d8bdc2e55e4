// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <string>
#include <variant>
#include <vector>

#include "console.hh"
#include "node.hh"
#include "roles.hh"

namespace isoplane::node {

/// The command line of `isoplane node`, with its node.conf, taken apart.
struct NodeCommand {
    NodeOptions node;
    RoleOptions roles;
    ConsoleOptions console;
    std::vector<link::LinkSpec> links;
    runtime::Placement placement;
    bool stopped = false;  ///< waits for the command `start`
    bool json = false;     ///< ends with all reports as one JSON object
};

/// Returns the exit code instead when the command is to end: after --help, or with a sentence printed about
/// what is wrong.
std::variant<NodeCommand, int> parse_node_command(int argc, char** argv);

}  // namespace isoplane::node
