// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "node/captures.hh"

#include <gtest/gtest.h>
#include <rte_ring.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "traffic/forward.hh"

namespace isoplane::node {
namespace {

/// A stage with two edges, neither of which is a link's.
class CapturesTest : public testing::Test {
  protected:
    CapturesTest() {
        engine_.add(std::make_unique<traffic::Forward>("forward", engine_.add_ring("captured-in").input(),
                                                       engine_.add_ring("captured-out").output()));
        engine_.place(runtime::Placement());
        captures_.set_places("all");
    }
    ~CapturesTest() override { std::filesystem::remove(file_); }

    /// The number of the last ring that was made for a tap of the capture under way.
    static unsigned last_tap() {
        unsigned last = 0;
        for (unsigned i = 0; i < 1000; ++i)
            if (rte_ring_lookup(("capture" + std::to_string(i)).c_str()) != nullptr) last = i;
        return last;
    }

    std::string file_ = testing::TempDir() + "isoplane-captures-" + std::to_string(getpid());
    runtime::Engine engine_{1, runtime::IdlePolicy::kYield};
    Captures::Links links_{};
    Captures captures_{engine_, links_};
};

TEST_F(CapturesTest, what_cannot_have_all_its_taps_is_no_capture) {
    captures_.start(file_);
    // Of the next capture, the pool takes the first number, and its two taps those behind it.
    const std::string second = "capture" + std::to_string(last_tap() + 3);
    captures_.stop();
    {
        const runtime::Ring in_its_place(second);
        EXPECT_THROW(captures_.start(file_), std::runtime_error);
        EXPECT_FALSE(captures_.running());
        EXPECT_THROW(captures_.stop(), std::runtime_error);
    }
    captures_.start(file_);
    EXPECT_TRUE(captures_.running());
    captures_.stop();
}

}  // namespace
}  // namespace isoplane::node
