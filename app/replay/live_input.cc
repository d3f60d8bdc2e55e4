// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "replay/live_input.hh"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace isoplane::replay {

namespace {

/// Milliseconds between two questions whether to go on: a signal may come just before a wait begins.
constexpr int kAskAgain = 50;

}  // namespace

bool LiveInput::is(const std::string& file) {
    struct stat found {};
    if ((file == "-" ? fstat(STDIN_FILENO, &found) : stat(file.c_str(), &found)) != 0) return false;
    return !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode);
}

LiveInput::~LiveInput() {
    if (fd_ >= 0) close(fd_);
}

std::FILE* LiveInput::open(const std::string& file) {
    // A FIFO that nobody writes to yet is not waited for here, but where it is read.
    const int fd = file == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                               : ::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return nullptr;
    // Not before, so that who writes to a FIFO again finds a reader.
    if (fd_ >= 0) close(fd_);
    fd_ = fd;
    return fopencookie(this, "r", {.read = read, .write = nullptr, .seek = nullptr, .close = nullptr});
}

void LiveInput::rethrow() {
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

ssize_t LiveInput::read(void* self, char* to, std::size_t room) noexcept {
    auto& live = *static_cast<LiveInput*>(self);
    return live.await() ? ::read(live.fd_, to, room) : -1;
}

/// False, with errno, when there is nothing to read and nobody to wait for it.
bool LiveInput::await() noexcept {
    pollfd input{.fd = fd_, .events = POLLIN, .revents = 0};
    int ready = 0;
    try {
        for (int wait = 0; (ready = poll(&input, 1, wait)) <= 0; wait = goes_on_ ? kAskAgain : -1) {
            if (ready < 0 && errno != EINTR) return false;
            if (!goes_on_ || goes_on_()) continue;
            given_up_ = true;
            errno = EINTR;
            return false;
        }
    } catch (...) {
        thrown_ = std::current_exception();
        errno = ECANCELED;
    }
    return ready > 0;
}

}  // namespace isoplane::replay
