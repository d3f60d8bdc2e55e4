// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <vector>

#include <isoplane/runtime/stage.hh>

namespace isoplane::runtime {

/// The stages that one lcore, or one API call, polls in turn. Does not own them.
class Pipeline {
  public:
    void add(Stage& stage) { stages_.push_back(&stage); }
    const std::vector<Stage*>& stages() const noexcept { return stages_; }

    /// Polls every stage once. Returns how many packets they moved together.
    unsigned poll(Time now) {
        if ((++rounds_ & (kSampleEvery - 1)) == 0) [[unlikely]]
            return poll_sampled(now);
        unsigned moved = 0;
        for (Stage* stage : stages_)
            moved += account(*stage, stage->poll(now));
        return moved;
    }

  private:
    /// One round in so many is timed stage by stage: reading the counter costs as much as forwarding two
    /// packets.
    static constexpr std::uint32_t kSampleEvery = 16;

    static unsigned account(Stage& stage, unsigned moved) noexcept {
        stage.load().polls.add();
        if (moved == 0) stage.load().empty_polls.add();
        return moved;
    }
    unsigned poll_sampled(Time now);

    std::vector<Stage*> stages_;
    std::uint32_t rounds_ = 0;
};

}  // namespace isoplane::runtime
