// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "guard.hh"

#include <fcntl.h>
#include <net/if.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <thread>
#include <vector>

namespace isoplane::run {

namespace {

/// What goes through the pipe: short enough to be written whole by whoever writes.
struct Entry {
    pid_t group = 0;  ///< 0: an interface
    char interface[IFNAMSIZ] {};
};

constexpr int kLifeline = 3;
constexpr int kAnswer = 4;

/// The guard is nobody's foreground, and holds no descriptor that somebody waits to see closed.
void detach(int lifeline, int answer) {
    setsid();
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
    if (chdir("/") != 0) return;  // it only keeps a file system busy
    const int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < kLifeline; ++fd)
        dup2(null, fd);
    if (lifeline != kLifeline) dup2(lifeline, kLifeline);
    dup2(answer, kAnswer);  // which is a later descriptor than the lifeline
    close_range(kAnswer + 1, ~0U, 0);
}

std::vector<Entry> read_entries() {
    std::vector<Entry> entries;
    Entry entry;
    for (;;) {
        const ssize_t n = read(kLifeline, &entry, sizeof entry);
        if (n == static_cast<ssize_t>(sizeof entry)) entries.push_back(entry);
        if (n == 0) return entries;
    }
}

bool remove_interface(const char* name) {
    const std::string path = std::string("/sys/class/net/") + name;
    if (!std::filesystem::exists(path)) return true;  // with its peer, or never made
    const char* const words[] = {"ip", "link", "delete", "dev", name, nullptr};
    pid_t pid = 0;
    if (posix_spawnp(&pid, "ip", nullptr, nullptr, const_cast<char**>(words), environ) != 0) return false;
    int status = 0;
    waitpid(pid, &status, 0);
    return !std::filesystem::exists(path);
}

/// Who was killed just now may have been making a file.
bool remove_directory(const std::string& path) {
    using namespace std::chrono_literals;
    for (int tries = 0; tries < 100; ++tries) {
        std::error_code error;
        std::filesystem::remove_all(path, error);
        if (!std::filesystem::exists(path)) return true;
        std::this_thread::sleep_for(10ms);
    }
    return false;
}

/// How the making of the directory went.
struct Made {
    int error = 0;
    char path[256]{};
};

/// Tells the launcher, if that lives; its end shows in the lifeline.
std::string make_directory(std::string path) {
    Made made;
    if (path.size() >= sizeof made.path) {
        made.error = ENAMETOOLONG;
    } else if (mkdtemp(path.data()) == nullptr) {
        made.error = errno;
    } else {
        path.copy(made.path, sizeof made.path - 1);
    }
    [[maybe_unused]] const auto written = write(kAnswer, &made, sizeof made);
    close(kAnswer);
    if (made.error != 0) _exit(1);
    return path;
}

[[noreturn]] void stand_guard(const std::string& pattern, int lifeline, int answer) {
    detach(lifeline, answer);
    const std::string directory = make_directory(pattern);
    const std::vector<Entry> entries = read_entries();
    for (const Entry& entry : entries)
        if (entry.group > 0) kill(-entry.group, SIGKILL);
    bool done = true;
    for (const Entry& entry : entries)
        if (entry.group == 0) done = remove_interface(entry.interface) && done;
    done = remove_directory(directory) && done;
    _exit(done ? 0 : 1);
}

}  // namespace

Guard::Guard(const std::string& pattern) {
    int ends[2];
    int answer[2];
    if (pipe2(ends, O_CLOEXEC) != 0 || pipe2(answer, O_CLOEXEC) != 0)
        throw std::runtime_error(std::string("no pipe: ") + std::strerror(errno));
    pid_ = fork();
    if (pid_ == 0) {
        close(ends[1]);
        close(answer[0]);
        stand_guard(pattern, ends[0], answer[1]);
    }
    close(ends[0]);
    close(answer[1]);
    lifeline_ = ends[1];
    if (pid_ < 0) throw std::runtime_error(std::string("no process for the guard: ") + std::strerror(errno));
    Made made;
    ssize_t n = 0;
    while ((n = read(answer[0], &made, sizeof made)) < 0 && errno == EINTR) {
    }
    close(answer[0]);
    if (n != static_cast<ssize_t>(sizeof made)) made.error = ESRCH;  // somebody has killed it
    if (made.error != 0) {
        finish();
        throw std::runtime_error("no directory for the job can be made as '" + pattern + "': " +
                                 std::strerror(made.error) + ". Set XDG_RUNTIME_DIR to one of your own.");
    }
    directory_ = made.path;
}

void Guard::enter_group() const noexcept {
    Entry entry;
    entry.group = getpid();
    // Without a guard there is PR_SET_PDEATHSIG still.
    [[maybe_unused]] const auto written = write(lifeline_, &entry, sizeof entry);
}

void Guard::enter_interface(const std::string& name) const {
    Entry entry;
    name.copy(entry.interface, sizeof entry.interface - 1);
    if (write(lifeline_, &entry, sizeof entry) < 0)
        throw std::runtime_error(std::string("the guard process is gone: ") + std::strerror(errno));
}

bool Guard::finish() {
    if (lifeline_ < 0) return true;
    close(lifeline_);
    lifeline_ = -1;
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    return status == 0;
}

}  // namespace isoplane::run
