// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "job_directory.hh"

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace isoplane::run {

namespace {

/// A directory of the user's own, while paths of sockets in it stay short enough.
std::string parent() {
    constexpr std::size_t kLongest = 64;
    const char* const own = std::getenv("XDG_RUNTIME_DIR");
    const bool usable =
        own != nullptr && own[0] == '/' && std::strlen(own) <= kLongest && std::filesystem::is_directory(own);
    return usable ? own : "/tmp";
}

}  // namespace

JobDirectory::JobDirectory() : path_(parent() + "/isoplane-run-XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr)
        throw std::runtime_error("no directory for the job can be made in '" + parent() +
                                 "': " + std::strerror(errno) + ". Set XDG_RUNTIME_DIR to one of your own.");
}

void JobDirectory::write(const std::string& name, const std::string& text) const {
    const std::string path = file(name);
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream stream(path);
    stream << text;
    stream.close();
    if (!stream)
        throw std::runtime_error("'" + path + "' cannot be written: " + std::strerror(errno) +
                                 ". Make room there.");
}

}  // namespace isoplane::run
