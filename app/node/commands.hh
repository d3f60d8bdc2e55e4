// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "node.hh"

namespace isoplane::node {

/// A command of the prompt, of a script, and of --command.
///
/// The syntax is words: `start` stands for itself, `a|b` for either, `<rate>` for any word, `<file...>` for
/// all of the rest, and a closing `[json]` may be left out. `run` gets the words as they were typed and
/// returns what to print; it throws std::exception with a sentence.
struct PromptCommand {
    std::string syntax;
    std::string help;
    std::function<std::string(const std::vector<std::string>& words)> run;
};

/// What every node can be told.
std::vector<PromptCommand> common_commands(Node& node);

/// `show` of a report: as a table, or as JSON when the last word says so.
std::string show(const runtime::Views& views, const std::vector<std::string>& words);

}  // namespace isoplane::node
