// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "replay/progress_bar.hh"

#include <sys/stat.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>

namespace isoplane::replay {

namespace {

constexpr std::chrono::milliseconds kBetween{200};

bool prints_to_file() {
    struct stat output {};
    return fstat(STDOUT_FILENO, &output) == 0 && S_ISREG(output.st_mode);
}

}  // namespace

ProgressBar::ProgressBar(Prints prints)
    : shown_(isatty(STDERR_FILENO) == 1 && (prints == Prints::kAtTheEnd || prints_to_file())) {}

void ProgressBar::show(std::optional<double> part, std::uint64_t frames, std::uint64_t bytes) {
    next_ = std::chrono::steady_clock::now() + kBetween;
    drawn_ = true;
    std::fputs("\r\033[K", stderr);
    if (part) {
        constexpr int kWidth = 40;
        std::fprintf(stderr, "[%-*.*s] %3.0f %%  ", kWidth, static_cast<int>(*part * kWidth),
                     "########################################", *part * 100);
    }
    std::fprintf(stderr, "%" PRIu64 " frames, %.1f MB", frames, static_cast<double>(bytes) / 1e6);
    std::fflush(stderr);
}

void ProgressBar::clear() {
    if (drawn_) std::fputs("\r\033[K", stderr);
    drawn_ = false;
}

}  // namespace isoplane::replay
