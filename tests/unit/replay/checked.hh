// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// What the checker finds in frames that are made by hand.
#pragma once

#include <gtest/gtest.h>

#include <isoplane/wire/probe.hh>
#include <isoplane/wire/view.hh>

#include "made_frames.hh"
#include "replay/check.hh"

namespace isoplane::test {

/// The first violation in these frames.
inline std::optional<replay::Violation> found_in(const std::vector<Bytes>& frames) {
    replay::Checker checker;
    for (const Bytes& each : frames)
        checker.see({.bytes = each, .length = static_cast<std::uint32_t>(each.size())});
    checker.finish();
    return checker.violation();
}

inline void expect_found(const std::vector<Bytes>& frames, std::uint64_t frame, std::string_view words) {
    const auto violation = found_in(frames);
    ASSERT_TRUE(violation) << "nothing found; expected: " << words;
    EXPECT_EQ(violation->frame, frame) << violation->sentence;
    EXPECT_NE(violation->sentence.find(words), std::string::npos) << violation->sentence;
}

/// Two nodes that begin, of which the first sends isochrons.
inline std::vector<Bytes> good() {
    return {hello(0, 64),
            hello(1, 7),
            data(0, 1, 0, ordered({.pulse = 3, .host = 0, .rank = 1, .isochron = 1, .count = 1})),
            data(0, 1, 1, ordered({.pulse = 4, .host = 0, .rank = 0, .isochron = 2, .count = 2})),
            token(0, 2, 1, {{.source = 0, .destination = 1, .value = 2}}),
            ack(1, 0, 2, 8),
            data(1, 0, 0, words("answer"), 2, 8)};
}

}  // namespace isoplane::test
