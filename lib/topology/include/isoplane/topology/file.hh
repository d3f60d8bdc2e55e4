// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <string>

#include <isoplane/topology/error.hh>
#include <isoplane/topology/limits.hh>

namespace isoplane::topology {

/// The content of a file. Throws Error when it cannot be read, is a directory, or exceeds kMaxFileSize.
std::string read_file(const std::string& path);

}  // namespace isoplane::topology
