// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "input.hh"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace isoplane::run {

Input::Input() : terminal_(isatty(STDIN_FILENO) != 0) {
    if (!terminal_) return;
    pipe_ = make_pipe();
    fcntl(pipe_.writes.get(), F_SETFL, O_NONBLOCK);
}

void Input::watch(std::vector<pollfd>& set) const {
    if (!pipe_.writes) return;
    if (!typed_.empty())
        set.push_back({pipe_.writes.get(), POLLOUT, 0});
    else if (tcgetpgrp(STDIN_FILENO) == getpgrp())
        set.push_back({STDIN_FILENO, POLLIN, 0});
}

void Input::act(const pollfd& ready) {
    if (ready.revents == 0 || !pipe_.writes) return;
    if (ready.fd == pipe_.writes.get())
        write_pipe();
    else if (ready.fd == STDIN_FILENO)
        read_terminal();
}

void Input::read_terminal() {
    char bytes[4096];
    const ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);
    if (n > 0)
        typed_.assign(bytes, static_cast<std::size_t>(n));
    else if (n == 0 || errno != EINTR)
        pipe_.writes.reset();  // the end of input
}

void Input::write_pipe() {
    const ssize_t n = write(pipe_.writes.get(), typed_.data(), typed_.size());
    if (n > 0)
        typed_.erase(0, static_cast<std::size_t>(n));
    else if (errno != EAGAIN && errno != EINTR)
        pipe_.writes.reset();  // the rank does not read any more
}

}  // namespace isoplane::run
