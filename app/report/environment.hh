// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <string>
#include <utility>
#include <vector>

namespace isoplane::report {

/// What a run was made with and on: each item a name, as "kernel", and what it is. Without these a figure
/// means nothing.
struct Environment {
    std::vector<std::pair<std::string, std::string>> items{};

    /// Empty when there is no such item.
    std::string at(const std::string& name) const;
    void set(const std::string& name, const std::string& value);
};

/// This machine, this program, and this moment. After the EAL has started.
Environment environment();

/// The first value of "model name" in what /proc/cpuinfo has; "unknown" without.
std::string cpu_model(const std::string& cpuinfo);

}  // namespace isoplane::report
