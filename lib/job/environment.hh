// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdlib>
#include <string_view>

namespace isoplane::job {

/// Of the environment; empty when it is not there.
inline std::string_view variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string_view{} : value;
}

}  // namespace isoplane::job
