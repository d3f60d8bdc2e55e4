// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "meeting.hh"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <isoplane/runtime/poll_watch.hh>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "info.hh"

namespace isoplane::fi {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// Where processes of this user find each other.
fs::path directory() {
    const char* const own = std::getenv("XDG_RUNTIME_DIR");
    std::error_code ignored;
    fs::path path = own != nullptr && fs::is_directory(own, ignored)
                        ? fs::path(own) / "isoplane-fi"
                        : fs::path("/tmp") / ("isoplane-fi-" + std::to_string(geteuid()));
    if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
        throw std::runtime_error("cannot make the directory " + path.string() + ": " + std::strerror(errno));
    struct stat what {};
    if (lstat(path.c_str(), &what) != 0 || !S_ISDIR(what.st_mode) || what.st_uid != geteuid() ||
        (what.st_mode & 077) != 0)
        throw std::runtime_error("the directory " + path.string() +
                                 " is not this user's alone: remove it, or set XDG_RUNTIME_DIR");
    return path;
}

/// Only one process at a time looks whether there is a node, and starts it.
class Turn {
  public:
    explicit Turn(const fs::path& file) : file_(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
        while (file_ >= 0 && flock(file_, LOCK_EX) != 0) {
            if (errno != EINTR) close(std::exchange(file_, -1));
        }
        if (file_ < 0) throw std::runtime_error("cannot lock " + file.string() + ": " + std::strerror(errno));
    }
    ~Turn() { close(file_); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

  private:
    int file_;
};

bool is_answered(const fs::path& path) {
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    if (path.string().size() >= sizeof address.sun_path)
        throw std::runtime_error("the path " + path.string() +
                                 " is too long for a socket: set XDG_RUNTIME_DIR");
    std::strcpy(address.sun_path, path.c_str());
    // Of the kind that the node listens on.
    const int probe = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    const bool answered = connect(probe, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    close(probe);
    return answered;
}

/// The program of the same installation: said by ISOPLANE, beside this library, or on the PATH.
std::string program() {
    if (const char* const said = std::getenv("ISOPLANE"); said != nullptr && *said != '\0') return said;
    Dl_info here{};
    if (dladdr(reinterpret_cast<void*>(&meet), &here) != 0 && here.dli_fname != nullptr) {
        std::error_code ignored;
        for (fs::path up = fs::absolute(here.dli_fname, ignored).parent_path(); up.has_relative_path();
             up = up.parent_path()) {
            for (const char* const place : {"bin/isoplane", "app/isoplane"})
                if (access((up / place).c_str(), X_OK) == 0) return up / place;
        }
    }
    return "isoplane";
}

/// It ends by itself when the last of its clients has left. It keeps nothing of this process: neither its
/// input and output, whose reader may wait for the end of it, nor its group, which a launcher may signal. But
/// it stays in the session: the scheduler shares CPUs out between sessions, and who gives its own away gives
/// it to others of the same.
pid_t start(const std::string& command, const std::string& socket) {
    std::vector<std::string> words{command, "node",         "--role",     "shared",      "--clients",
                                   socket,  "--until-left", "--headless", "--json",      "--workers",
                                   "1",     "--idle",       "yield",      "--hugepages", "off"};
    std::vector<char*> arguments;
    for (std::string& word : words)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&how);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, 2, (socket + ".log").c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
    posix_spawn_file_actions_addclosefrom_np(&files, 3);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP);
    pid_t pid = -1;
    const int problem = posix_spawnp(&pid, command.c_str(), &files, &how, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    if (problem != 0)
        throw std::runtime_error("cannot start " + command + " for the processes of this machine (" +
                                 std::strerror(problem) +
                                 "): say where it is by the environment variable ISOPLANE, or name a link in "
                                 "ISOPLANE_LINK");
    return pid;
}

/// Who asks again is to start another.
void stop(pid_t pid) {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
}

}  // namespace

std::string meet(std::uint32_t job_key) {
    const fs::path socket = directory() / std::to_string(job_key);
    const Turn turn(directory() / "turn");
    if (!is_answered(socket)) {
        const std::string command = program();
        const pid_t pid = start(command, socket);
        constexpr auto kLimit = 20s;
        runtime::Patience patience(kLimit);
        while (!is_answered(socket)) {
            // Unless the program has learnt of its end first, as it does of that of all its children.
            const bool has_ended = waitpid(pid, nullptr, WNOHANG) != 0;
            if (has_ended || patience.is_over()) {
                if (!has_ended) stop(pid);
                throw std::runtime_error("the node that the processes of this machine were to share " +
                                         std::string(has_ended ? "has ended" : "does not answer") + ": " +
                                         socket.string() + ".log says why");
            }
            std::this_thread::sleep_for(5ms);
        }
    }
    std::error_code ignored;
    fs::remove(socket.string() + ".log", ignored);
    return "shared:" + socket.string();
}

}  // namespace isoplane::fi
