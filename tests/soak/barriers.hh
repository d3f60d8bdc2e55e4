// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include "part.hh"

namespace isoplane::soak {

/// Barriers outside logical time, which each node enters now and then, all as often as the others.
class Barriers final : public Part {
  public:
    explicit Barriers(job::Job& job) : Part(job, "barriers") {}

    /// How often this node has entered one, and how many of them are complete.
    std::uint64_t entered() const { return sent(here()); }
    std::uint64_t passed() const { return came(here()); }

    void act(NodeId /*to*/, Random& random) override {
        if (random() % 8 == 0) enter();
    }
    void poll() override {
        if (entered() < most_) enter();
        if (entered() == passed() || job_.messages().barrier() == noniso::BarrierState::kRunning) return;
        if (job_.messages().barrier() != noniso::BarrierState::kComplete)
            throw Wrong("barriers: one is broken");
        for (NodeId from = 0; from < job_.size(); ++from)
            take(from, came(from));
    }
    bool together() const override { return true; }
    void catch_up(std::uint64_t times) override { most_ = times; }

  private:
    void enter() {
        if (entered() != passed() || !job_.messages().enter_barrier()) return;
        for (NodeId to = 0; to < job_.size(); ++to)
            went(to);
    }

    std::uint64_t most_ = 0;  ///< that others have entered, once it is the end
};

}  // namespace isoplane::soak
