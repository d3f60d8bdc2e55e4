// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

// The table of what can be configured: one row is one option, how it is read, and how it is written.

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include <isoplane/topology/node_conf.hh>

namespace isoplane::topology {

/// Why a value does not fit, as a sentence; whoever knows the place makes it an Error.
struct Misfit {
    std::string sentence;
};

using WriteOption = std::function<void(const std::string& key, const std::string& value)>;

struct NodeOption {
    const char* name;   ///< ends in '*' when it stands for all that begin so
    const char* value;  ///< its name in --help
    const char* help;
    bool is_path;
    bool repeats;
    /// Throws Misfit. `key` is in full where `name` ends in '*'.
    void (*set)(NodeConf& conf, std::string_view key, const std::string& value);
    void (*get)(const NodeConf& conf, const WriteOption& write);

    bool matches(std::string_view key) const;
};

std::span<const NodeOption> node_option_table();

/// The row for a key; null when there is none.
const NodeOption* find_node_option(std::string_view key);

}  // namespace isoplane::topology
