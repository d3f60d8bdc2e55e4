// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <string>
#include <vector>

#include "child.hh"

namespace isoplane::run {

struct File {
    std::string name;
    std::string text;
};

/// A rank on another machine.
struct RemoteRank {
    std::string destination;           ///< [user@]machine
    std::vector<File> files;           ///< its node.conf, and what that names
    std::vector<std::string> entries;  ///< NAME=VALUE, for its environment
    std::vector<std::string> words;    ///< the program and its arguments
    unsigned grace_seconds = 0;        ///< between SIGTERM and SIGKILL, once we are gone
};

/// How ssh is started for it, and what it is fed. The files go through its input into a directory there,
/// which is removed after the program. Input that ends, as it does when ssh or we are gone, ends the program.
Launch remote_launch(const RemoteRank& rank);

/// A word that a shell takes for exactly this.
std::string quoted(const std::string& word);

}  // namespace isoplane::run
