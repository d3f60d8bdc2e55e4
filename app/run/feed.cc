// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "feed.hh"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace isoplane::run {

Feed::Feed(Descriptor to) : to_(std::move(to)) {
    fcntl(to_.get(), F_SETFL, O_NONBLOCK);
}

void Feed::watch(std::vector<pollfd>& set) const {
    if (pending()) set.push_back({to_.get(), POLLOUT, 0});
}

bool Feed::act(const pollfd& ready) {
    if (!open() || ready.fd != to_.get()) return false;
    const ssize_t n = write(to_.get(), left_.data(), left_.size());
    if (n > 0)
        left_.erase(0, static_cast<std::size_t>(n));
    else if (errno != EAGAIN && errno != EINTR)
        to_.reset();  // nobody reads it any more
    return true;
}

}  // namespace isoplane::run
