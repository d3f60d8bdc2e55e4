// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "signals.hh"

#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace isoplane::run {

namespace {

constexpr int kEnding[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
constexpr int kTelling[] = {SIGUSR1, SIGUSR2};
/// A child has ended; we are in the foreground again.
constexpr int kOurs[] = {SIGCHLD, SIGCONT};

/// nohup has a job live on without its terminal.
bool is_ignored(int number) {
    struct sigaction action {};
    return sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

Signals::Signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : kEnding)
        if (!is_ignored(number)) sigaddset(&set, number);
    for (const int number : kTelling)
        if (!is_ignored(number)) sigaddset(&set, number);
    signal(SIGCHLD, SIG_DFL);
    for (const int number : kOurs)
        sigaddset(&set, number);
    sigprocmask(SIG_BLOCK, &set, &before_);
    signal(SIGPIPE, SIG_IGN);
    fd_ = Descriptor(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!fd_) throw std::runtime_error(std::string("no descriptor for signals: ") + std::strerror(errno));
}

Signals::~Signals() {
    sigprocmask(SIG_SETMASK, &before_, nullptr);
}

std::optional<int> Signals::take() {
    signalfd_siginfo info{};
    if (read(fd_.get(), &info, sizeof info) != static_cast<ssize_t>(sizeof info)) return std::nullopt;
    return static_cast<int>(info.ssi_signo);
}

bool Signals::ends(int number) {
    return std::ranges::find(kEnding, number) != std::end(kEnding);
}

}  // namespace isoplane::run
