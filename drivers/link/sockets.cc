// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "sockets.hh"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <isoplane/runtime/poll_watch.hh>
#include <isoplane/runtime/stop_signal.hh>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace isoplane::link {

namespace {

namespace fs = std::filesystem;

sockaddr_un address_of(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    return address;
}

/// Whether who serves it takes connections yet: one who has only just made the socket refuses them. True when
/// the system does not tell, as it does not of another network namespace's.
bool is_listening(const std::string& path) {
    constexpr unsigned long kListens = 0x10000;
    bool known = false;
    std::ifstream table("/proc/net/unix");
    for (std::string line; std::getline(table, line);) {
        if (!line.ends_with(" " + path)) continue;
        known = true;
        std::istringstream fields(line);
        std::string address, references, protocol;
        unsigned long flags = 0;
        fields >> address >> references >> protocol >> std::hex >> flags;
        if ((flags & kListens) != 0) return true;
    }
    return !known;
}

/// Whether a living process listens on the socket file. Connecting with a type of socket that no server here
/// uses tells without the server noticing: EPROTOTYPE when it lives, ECONNREFUSED when it does not.
bool is_served(const std::string& path) {
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const sockaddr_un address = address_of(path);
    const bool refused = connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0;
    const int error = errno;
    close(fd);
    return !refused || error == EPROTOTYPE;
}

/// The drivers write to their sockets without MSG_NOSIGNAL, on threads of the EAL too: the death of a peer
/// would be that of this process. A handler that the program has set stays.
void survive_broken_pipes() {
    struct sigaction present {};
    if (sigaction(SIGPIPE, nullptr, &present) == 0 && present.sa_handler == SIG_DFL)
        std::signal(SIGPIPE, SIG_IGN);
}

void check_place(const LinkSpec& spec) {
    const fs::path path(spec.target);
    const std::string parent = path.has_parent_path() ? path.parent_path().string() : ".";
    if (spec.target.size() >= sizeof(sockaddr_un::sun_path)) {
        throw std::invalid_argument("'" + spec.text + "': the path of a unix socket has at most " +
                                    std::to_string(sizeof(sockaddr_un::sun_path) - 1) +
                                    " characters, this one " + std::to_string(spec.target.size()) +
                                    "; use a shorter one, in /tmp or /run");
    }
    if (!fs::is_directory(parent)) {
        throw std::runtime_error("'" + spec.text + "': there is no directory '" + parent +
                                 "' to hold the socket; create it (mkdir -p " + parent + ")");
    }
    if (access(parent.c_str(), W_OK | X_OK) != 0) {
        throw std::runtime_error("'" + spec.text + "': no permission to create the socket in '" + parent +
                                 "'; use another directory or change its owner");
    }
    if (fs::exists(path) && !fs::is_socket(path)) {
        throw std::runtime_error("'" + spec.text + "': '" + spec.target +
                                 "' is in the way, it is not a socket; remove it or choose another path");
    }
}

/// A locked file, removed before it is let go.
class LockFile {
  public:
    LockFile(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
    ~LockFile() {
        unlink(path_.c_str());
        close(fd_);
    }
    LockFile(const LockFile&) = delete;
    LockFile& operator=(const LockFile&) = delete;

  private:
    int fd_;
    std::string path_;
};

/// Locks the file at `path`, or returns nullptr when another holds it. The holder removes the file before it
/// lets go, so what was locked may not be there any more: then the next try makes a new one.
std::shared_ptr<void> try_lock(const LinkSpec& spec, const std::string& path) {
    for (;;) {
        const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (fd < 0) {
            throw std::runtime_error("'" + spec.text + "': cannot create the lock file '" + path +
                                     "': " + std::strerror(errno));
        }
        struct stat opened {};
        struct stat present {};
        const bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
        if (locked && fstat(fd, &opened) == 0 && stat(path.c_str(), &present) == 0 &&
            opened.st_ino == present.st_ino) {
            return std::make_shared<LockFile>(fd, path);
        }
        close(fd);
        if (!locked) return nullptr;
    }
}

}  // namespace

SocketSide SocketSide::take(const LinkSpec& spec, const SocketSides& sides, const std::string& lock_suffix) {
    const std::string wanted = spec.option(sides.key);
    if (!wanted.empty() && wanted != sides.server && wanted != sides.client) {
        throw std::invalid_argument("'" + spec.text + "': " + sides.key + "=" + wanted + " is neither " +
                                    sides.server + " nor " + sides.client);
    }
    check_place(spec);
    survive_broken_pipes();
    const std::string lock_path = spec.target + lock_suffix + ".";
    if (wanted != sides.client) {
        auto lock = try_lock(spec, lock_path + sides.server + ".lock");
        // Somebody who does not know of our locks may be serving it.
        const bool free = lock != nullptr && !is_served(spec.target);
        if (free) {
            std::error_code ignored;
            fs::remove(spec.target, ignored);
            return {true, std::move(lock)};
        }
        if (wanted == sides.server) {
            throw std::runtime_error("'" + spec.text + "': the socket is in use, another process is its " +
                                     sides.server + " side; leave " + sides.key +
                                     "= away to become the other " + "side, or choose another path");
        }
    }
    if (auto lock = try_lock(spec, lock_path + sides.client + ".lock")) return {false, std::move(lock)};
    throw std::runtime_error("'" + spec.text + "': the socket is in use, " +
                             (wanted.empty() ? "both its sides are" : "its " + sides.client + " side is") +
                             " taken; choose another path");
}

void await_server(const LinkSpec& spec, std::chrono::seconds limit) {
    runtime::Patience patience(limit);
    while (!is_served(spec.target) || !is_listening(spec.target)) {
        if (runtime::StopSignal::raised())
            throw std::runtime_error("'" + spec.text + "': interrupted; nobody has served the socket so far");
        if (patience.is_over()) {
            throw std::runtime_error("'" + spec.text + "': nobody serves the socket, after " +
                                     std::to_string(limit.count()) +
                                     " s of waiting; start the other side, or wait longer with wait=SECONDS");
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}

}  // namespace isoplane::link
