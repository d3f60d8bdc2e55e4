// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "rank.hh"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace isoplane::run {

/// Returns how much there was.
std::size_t Rank::read_some(Descriptor& stream, Output& output) {
    const bool is_error = &stream == &child_.err();
    LineSplitter& lines = is_error ? err_ : out_;
    const int to = is_error ? STDERR_FILENO : STDOUT_FILENO;
    char bytes[16384];
    const ssize_t n = read(stream.get(), bytes, sizeof bytes);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return 0;
    std::string whole;
    if (n > 0) {
        lines.take({bytes, static_cast<std::size_t>(n)}, whole);
    } else {
        lines.finish(whole);
        stream.reset();
    }
    output.put(to, whole);
    return n > 0 ? static_cast<std::size_t>(n) : 0;
}

void Rank::forward(Descriptor& stream, Output& output) {
    read_some(stream, output);
}

void Rank::drain(Output& output) {
    for (Descriptor* stream : {&child_.out(), &child_.err()}) {
        int there = 0;
        if (!*stream || ioctl(stream->get(), FIONREAD, &there) != 0) continue;
        auto left = static_cast<std::size_t>(there);
        while (left > 0) {
            const std::size_t n = read_some(*stream, output);
            if (n == 0) break;
            left -= std::min(left, n);
        }
    }
}

void Rank::close(Output& output) {
    drain(output);
    std::string whole;
    out_.finish(whole);
    output.put(STDOUT_FILENO, whole);
    whole.clear();
    err_.finish(whole);
    output.put(STDERR_FILENO, whole);
    child_.out().reset();
    child_.err().reset();
}

}  // namespace isoplane::run
