// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <signal.h>
#include <sys/eventfd.h>
#include <termios.h>
#include <unistd.h>

#include <atomic>
#include <isoplane/runtime/stop_signal.hh>

namespace isoplane::runtime {

namespace {

// A handler has no context of its own but this.
std::atomic<int> event{-1};
std::atomic<bool> seen{false};
std::atomic<int> terminal{-1};
termios terminal_before;  ///< of `terminal`; written before that is

/// In the background the terminal is another's, and to change it would stop the process.
void put_terminal_back() {
    const int fd = terminal;
    if (fd >= 0 && tcgetpgrp(fd) == getpgrp()) tcsetattr(fd, TCSANOW, &terminal_before);
}

void on_signal(int number) {
    if (seen.exchange(true)) {
        put_terminal_back();
        _exit(128 + number);
    }
    const std::uint64_t one = 1;
    // An eventfd that has just been made cannot be full.
    [[maybe_unused]] const auto written = write(event.load(), &one, sizeof one);
}

void handle(int number, void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    sigaction(number, &action, nullptr);
}

}  // namespace

StopSignal::StopSignal() {
    seen = false;
    event = eventfd(0, EFD_CLOEXEC);
    handle(SIGINT, on_signal);
    handle(SIGTERM, on_signal);
    // A file at its limit, as a pipe without a reader, is an error of the write that meets it.
    handle(SIGPIPE, SIG_IGN);
    handle(SIGXFSZ, SIG_IGN);
}

StopSignal::~StopSignal() {
    handle(SIGINT, SIG_DFL);
    handle(SIGTERM, SIG_DFL);
    close(event.exchange(-1));
    seen = false;
}

int StopSignal::fd() const noexcept {
    return event;
}
bool StopSignal::raised() noexcept {
    return seen;
}

KeptTerminal::KeptTerminal(int fd) {
    if (tcgetattr(fd, &terminal_before) == 0) terminal = fd;
}

KeptTerminal::~KeptTerminal() {
    terminal = -1;
}

}  // namespace isoplane::runtime
