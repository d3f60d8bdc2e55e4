// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/fabric/impairment.hh>
#include <isoplane/fabric/random.hh>
#include <isoplane/runtime/pool.hh>

namespace isoplane::test {

using fabric::Impairment;
using fabric::Random;
using runtime::Duration;
using namespace std::chrono_literals;

/// One for all seeds of a program; full again after each.
inline runtime::Pool& pool() {
    static runtime::Pool the_pool("sim_test", 32767);
    return the_pool;
}

/// A time up to `most`.
inline Duration some(Random& random, Duration most) {
    return Duration{static_cast<Duration::rep>(random.below(static_cast<std::uint64_t>(most.count())))};
}

/// Each kind of fault that `most` has is on or off, and up to as strong as there. Rate, queue and cut are
/// left to the caller.
inline Impairment some_impairment(Random& random, const Impairment& most) {
    const auto maybe = [&](double strongest) {
        return random.below(2) == 0 ? 0.0 : random.unit() * strongest;
    };
    Impairment i;
    i.loss = maybe(most.loss);
    i.duplicate = maybe(most.duplicate);
    i.reorder = maybe(most.reorder);
    i.corrupt = maybe(most.corrupt);
    i.gap = static_cast<unsigned>(1 + random.below(most.gap));
    i.hold = 1us + some(random, most.hold);
    if (random.below(2) == 0) i.delay = some(random, most.delay);
    if (random.below(2) == 0) i.jitter = some(random, most.jitter);
    // Nothing is drawn for it where there is none: what seeds mean does not depend on it.
    if (most.late > 0) i.late = maybe(most.late);
    i.after = most.after;
    return i;
}

}  // namespace isoplane::test
