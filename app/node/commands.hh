// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <string>
#include <vector>

#include "node.hh"
#include "prompt_command.hh"

namespace isoplane::node {

/// What every node can be told.
std::vector<PromptCommand> common_commands(Node& node);

/// `show` of a report: as a table, or as JSON when the last word says so.
std::string show(const runtime::Views& views, const std::vector<std::string>& words);

}  // namespace isoplane::node
