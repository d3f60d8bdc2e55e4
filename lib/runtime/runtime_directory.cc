// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "runtime_directory.hh"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <system_error>
#include <thread>
#include <utility>

namespace isoplane::runtime {

namespace {

constexpr mode_t kOwnersOnly = 0700;

/// Where the EAL looks for it, too.
std::filesystem::path all_directories() {
    const char* parent = std::getenv("RUNTIME_DIRECTORY");
    if (parent == nullptr) parent = getuid() == 0 ? "/var/run" : std::getenv("XDG_RUNTIME_DIR");
    return std::filesystem::path(parent == nullptr ? "/tmp" : parent) / "dpdk";
}

int open_directory(const std::filesystem::path& path) {
    return open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

bool is_at(int file, const std::filesystem::path& path) {
    struct stat opened {};
    struct stat named {};
    return fstat(file, &opened) == 0 && stat(path.c_str(), &named) == 0 && opened.st_dev == named.st_dev &&
           opened.st_ino == named.st_ino;
}

/// Who sweeps has the lock for less than so many tries take; a stranger may have it for ever.
constexpr int kTries = 2'000;
constexpr std::chrono::microseconds kBetween{100};

/// -1 when it cannot be made, or locked. Who sweeps may remove it before that: then it is made once more.
int make_and_lock(const std::filesystem::path& path) {
    mkdir(path.parent_path().c_str(), kOwnersOnly);
    for (int tries = 0; tries < kTries; ++tries) {
        if (mkdir(path.c_str(), kOwnersOnly) != 0 && errno != EEXIST) return -1;
        const int file = open_directory(path);
        if (file < 0 && errno != ENOENT) return -1;
        if (file >= 0 && flock(file, LOCK_SH | LOCK_NB) == 0 && is_at(file, path)) return file;
        if (file >= 0) close(file);
        std::this_thread::sleep_for(kBetween);
    }
    return -1;
}

/// Locked while it goes: nobody can begin to use it.
void remove_unless_held(int file, const std::filesystem::path& path) {
    std::error_code ignored;
    if (flock(file, LOCK_EX | LOCK_NB) == 0 && is_at(file, path)) std::filesystem::remove_all(path, ignored);
}

}  // namespace

RuntimeDirectory::RuntimeDirectory(std::string name)
    : path_(all_directories() / std::move(name)), file_(make_and_lock(path_)) {}

RuntimeDirectory::~RuntimeDirectory() {
    if (file_ < 0) return;
    if (getpid() == owner_) remove_unless_held(file_, path_);
    close(file_);
}

void RuntimeDirectory::sweep(const std::string& prefix) const {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(path_.parent_path(), ignored)) {
        const std::string name = entry.path().filename();
        const bool is_ours = name.size() > prefix.size() && name.starts_with(prefix) &&
                             std::all_of(name.begin() + static_cast<std::ptrdiff_t>(prefix.size()),
                                         name.end(), [](char c) { return c >= '0' && c <= '9'; });
        const int file = is_ours ? open_directory(entry.path()) : -1;
        if (file < 0) continue;
        remove_unless_held(file, entry.path());
        close(file);
    }
}

}  // namespace isoplane::runtime
