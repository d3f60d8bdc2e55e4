// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "output.hh"

#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace isoplane::run {

void Output::put(int fd, std::string_view lines) {
    if (lines.empty() || gone_[fd]) return;
    size_ += lines.size();
    if (!chunks_.empty() && chunks_.back().fd == fd)
        chunks_.back().bytes += lines;
    else
        chunks_.push_back({fd, std::string(lines)});
}

int Output::write_some() {
    Chunk& chunk = chunks_.front();
    // A pipe that poll() finds writable takes this much without blocking.
    const std::size_t piece = std::min<std::size_t>(chunk.bytes.size() - chunk.written, PIPE_BUF);
    const ssize_t n = write(chunk.fd, chunk.bytes.data() + chunk.written, piece);
    if (n < 0) {
        if (errno == EINTR || errno == EAGAIN) return 0;
        const int failure = errno;
        drop(chunk.fd);
        return failure;
    }
    chunk.written += static_cast<std::size_t>(n);
    size_ -= static_cast<std::size_t>(n);
    if (chunk.written == chunk.bytes.size()) chunks_.pop_front();
    return 0;
}

void Output::drop(int fd) {
    gone_[fd] = true;
    std::erase_if(chunks_, [fd](const Chunk& chunk) { return chunk.fd == fd; });
    size_ = 0;
    for (const Chunk& chunk : chunks_)
        size_ += chunk.bytes.size() - chunk.written;
}

}  // namespace isoplane::run
