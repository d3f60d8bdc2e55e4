// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "listener.hh"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include "registration.hh"

namespace isoplane::share {

namespace {

/// Connections that nobody has listened to yet.
constexpr int kBacklog = 64;
/// Others need the directory for an instant only.
constexpr auto kLockLimit = std::chrono::seconds(5);

/// Between looking at what is at a path and putting a socket there, or taking it away, no other node does.
/// A lock of the directory leaves nothing behind, and ends with who has it.
class Alone {
  public:
    explicit Alone(const std::string& path) {
        const std::filesystem::path parent = std::filesystem::path(path).parent_path();
        directory_ = open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (directory_ < 0) return;
        const auto deadline = std::chrono::steady_clock::now() + kLockLimit;
        while (!(locked_ = flock(directory_, LOCK_EX | LOCK_NB) == 0)) {
            const bool comes = errno == EWOULDBLOCK || errno == EINTR;
            if (!comes || std::chrono::steady_clock::now() >= deadline) return;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }
    ~Alone() {
        if (directory_ >= 0) close(directory_);
    }
    Alone(const Alone&) = delete;
    Alone& operator=(const Alone&) = delete;

    /// Else errno says why not.
    explicit operator bool() const noexcept { return locked_; }

  private:
    int directory_ = -1;
    bool locked_ = false;
};

bool is_socket(const std::string& path) {
    struct stat found {};
    return lstat(path.c_str(), &found) == 0 && S_ISSOCK(found.st_mode);
}

std::string reason() {
    switch (errno) {
        case EADDRINUSE:
            return "something else is there";
        case EWOULDBLOCK:
            return "somebody keeps its directory locked";
        default:
            return std::strerror(errno);
    }
}

}  // namespace

Listener::Listener(const std::string& path) : path_(path) {
    const sockaddr_un address = socket_address(path);
    const auto* at = reinterpret_cast<const sockaddr*>(&address);
    Handle socket = make_socket();
    std::string why;
    if (const Alone alone(path); !alone) {
        why = reason();
    } else if (connect_at_once(make_socket(), address) || errno == EAGAIN) {
        why = "another node listens there";
    } else {
        if (errno == ECONNREFUSED && is_socket(path)) unlink(path.c_str());
        const bool listens = bind(socket.get(), at, sizeof address) == 0 &&
                             lstat(path.c_str(), &made_) == 0 && listen(socket.get(), kBacklog) == 0;
        if (!listens) why = reason();
    }
    if (!why.empty())
        throw std::runtime_error("clients cannot register at '" + path + "': " + why +
                                 "; choose another path");
    descriptor_ = socket.release();
}

Listener::~Listener() {
    close(descriptor_);
}

void Listener::remove_path() const noexcept {
    const Alone alone(path_);
    struct stat found {};
    const bool ours = alone && lstat(path_.c_str(), &found) == 0 && found.st_dev == made_.st_dev &&
                      found.st_ino == made_.st_ino;
    if (ours) unlink(path_.c_str());
}

}  // namespace isoplane::share
