// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "job_directory.hh"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>

namespace isoplane::run {

std::string JobDirectory::pattern() {
    // A directory of the user's own, while paths of sockets in it stay short enough.
    constexpr std::size_t kLongest = 64;
    const char* const own = std::getenv("XDG_RUNTIME_DIR");
    std::error_code fault;
    const bool usable = own != nullptr && own[0] == '/' && std::strlen(own) <= kLongest &&
                        std::filesystem::is_directory(own, fault);
    return std::string(usable ? own : "/tmp") + "/isoplane-run-XXXXXX";
}

void JobDirectory::write(const std::string& name, const std::string& text) const {
    const std::string path = file(name);
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream stream(path);
    std::error_code denied;
    std::filesystem::permissions(
        path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write, denied);
    if (denied) stream.setstate(std::ios::failbit);
    stream << text;
    stream.close();
    if (!stream)
        throw std::runtime_error("'" + path + "' cannot be written: " + std::strerror(errno) +
                                 ". Make room there.");
}

}  // namespace isoplane::run
