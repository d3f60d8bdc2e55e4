// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "input.hh"

#include <unistd.h>

#include <cerrno>

namespace isoplane::run {

int Input::open() {
    if (isatty(STDIN_FILENO) == 0) return STDIN_FILENO;
    Pipe pipe = make_pipe();
    reads_ = std::move(pipe.reads);
    typed_ = Feed(std::move(pipe.writes));
    return reads_.get();
}

void Input::watch(std::vector<pollfd>& set) const {
    if (typed_.open() && !typed_.pending() && tcgetpgrp(STDIN_FILENO) == getpgrp())
        set.push_back({STDIN_FILENO, POLLIN, 0});
    typed_.watch(set);
}

void Input::act(const pollfd& ready) {
    if (typed_.act(ready) || !typed_.open() || ready.fd != STDIN_FILENO) return;
    char bytes[4096];
    const ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);
    if (n > 0)
        typed_.put({bytes, static_cast<std::size_t>(n)});
    else if (n == 0 || errno != EINTR)
        typed_.close();  // the end of input
}

}  // namespace isoplane::run
