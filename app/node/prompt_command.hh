// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <functional>
#include <string>
#include <vector>

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

}  // namespace isoplane::node
