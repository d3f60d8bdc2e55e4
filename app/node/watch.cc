// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "watch.hh"

#include <cstdio>

namespace isoplane::node {

void Watch::look(Clock::time_point now) {
    constexpr auto kEvery = std::chrono::milliseconds{100};
    if (now < again_) return;
    again_ = now + kEvery;
    for (Watched& watched : watched_) {
        const std::string trouble = watched.trouble();
        if (trouble == watched.said) continue;
        watched.said = trouble;
        std::fprintf(stderr, "isoplane node: %s: %s\n", watched.who.c_str(),
                     trouble.empty() ? watched.over.c_str() : trouble.c_str());
    }
}

}  // namespace isoplane::node
