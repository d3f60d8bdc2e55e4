// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// What hosts that speak Portals have in common in a simulation, whatever they do.
#pragma once

#include <isoplane/nal/over_niu.hh>
#include <isoplane/sim/world.hh>
#include <memory>

#include "weather.hh"

namespace isoplane::test {

using namespace portals;

constexpr niu::NodeId kHosts = 3;
constexpr unsigned kMortal = 2;  ///< the host that dies, in some seeds
constexpr Index kPortal = 4;
constexpr Pid kPid = 1;
constexpr std::size_t kSlots = 6;
constexpr std::size_t kSlotSize = 150'000;
constexpr std::size_t kRegion = kSlots * kSlotSize;

/// What all hosts of a seed have in common.
struct Plan {
    std::uint64_t seed = 0;
    unsigned operations = 0;  ///< of each host on each other
    std::size_t planes = 1;
    Climate climate{};
    niu::Options niu{};
    nal::OverNiuOptions nal{};
};

/// A host's link on one plane.
class Port final : public runtime::Stage {
  public:
    Port(niu::NodeId node, sim::Link::End end, const Plan& plan)
        : Stage("port" + std::to_string(node)), in_(takes_from(end.input)) {
        gives_to(end.output);
        niu::Options options = plan.niu;
        options.node = node;
        options.mac = {2, 0, 0, 0, 0, static_cast<std::uint8_t>(node)};
        niu_ = std::make_unique<niu::Niu>(name(), end.input, end.output, pool(), options);
        dispatcher_ = std::make_unique<niu::Dispatcher>(*niu_);
    }

    void die() {
        dispatcher_.reset();
        niu_.reset();
    }
    void leave() { niu_->leave(); }
    nal::OverNiu::Plane plane() { return {niu_.get(), dispatcher_.get()}; }
    const niu::Niu& niu() const { return *niu_; }

    unsigned poll(Time now) override {
        if (niu_ != nullptr) return niu_->poll(now) + dispatcher_->dispatch();
        runtime::Burst burst;
        const std::uint16_t n = in_.receive(burst);
        rte_pktmbuf_free_bulk(burst.data(), n);
        return n;
    }
    std::size_t discard() override { return niu_ ? niu_->discard() : 0; }

  private:
    runtime::Input& in_;
    std::unique_ptr<niu::Niu> niu_;
    std::unique_ptr<niu::Dispatcher> dispatcher_;
};

/// The world polls.
class Hands final : public nal::Mover {
  public:
    bool poll() override { return false; }
    bool moves_alone() const noexcept override { return false; }
    void call(const std::function<void()>& what) override { what(); }
    bool enter() noexcept override { return true; }
    void leave() noexcept override {}
};

/// Nobody is given up who lives, unless he may be.
inline Plan some_plan(std::uint64_t seed, Random& random, bool may_part = false) {
    Plan plan{.seed = seed,
              .operations = static_cast<unsigned>(5 + random.below(15)),
              .climate = Climate::of(seed, 10ms, may_part)};
    plan.planes = random.below(2) == 0 ? 1 : 1 + random.below(3);
    plan.niu = {.nodes = {"a", "b", "c"},
                .mtu = static_cast<std::uint16_t>(400 + random.below(1400)),
                .chains = true,
                .in_process = true,
                .window = 16U << random.below(4),
                .timeout = {.initial = 1ms, .least = 100us, .most = 5ms},
                .silence = plan.climate.silence,
                .hello_every = 200us,
                .linger = 3ms};
    plan.nal = {.followed = random.below(50'000),
                .slice = static_cast<std::uint32_t>(500 + random.below(60'000)),
                .ahead = static_cast<unsigned>(1 + random.below(4)),
                .owed = seed % 4,
                .reads_memory = seed % 3 == 0,
                .in_one_process = true,
                .read_from = random.below(50'000),
                .absent = 100ms};
    return plan;
}

}  // namespace isoplane::test
