// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <isoplane/fabric/random.hh>
#include <isoplane/fabric/switch.hh>
#include <isoplane/isotach/isotach.hh>
#include <isoplane/niu/dispatcher.hh>
#include <isoplane/runtime/histogram.hh>
#include <isoplane/runtime/ring.hh>
#include <isoplane/sim/world.hh>
#include <memory>
#include <string>
#include <vector>

#include "../node/manager_stage.hh"

namespace isoplane::perf {

/// What is simulated.
struct ScaleSetup {
    unsigned hosts = 2;
    bool tree = false;             ///< around three levels of switches, rather than one
    unsigned partners = 0;         ///< others that each host talks to; 0: all
    std::uint32_t ahead = 1;       ///< tokens that every node sends ahead
    runtime::Duration latency{0};  ///< of each link, one way
    runtime::Duration every{
        0};  ///< between two isochrons of a host, and two messages outside time, on average
    runtime::Duration duration{0};  ///< virtual, of what counts
    std::uint64_t seed = 1;
};

/// What it yields, in virtual time.
struct ScaleFigures {
    double ordered_us = 0;    ///< from issuing an isochron of one message to executing it, median
    double unordered_us = 0;  ///< from sending a message outside logical time to receiving it, median
    double ordered_p99_us = 0;
    double pulses_per_second = 0;
    double token_share = 0;      ///< of all frames that are sent
    double frames_per_host = 0;  ///< sent, a second, token managers' among them
};

/// Times of messages, in nanoseconds.
struct ScaleTimes {
    runtime::Histogram ordered{};
    runtime::Histogram unordered{};
};

/// A host that sends to others at times it draws, each message with the time at which it went.
class ScaleHost final : public runtime::Stage, private niu::Receiver {
  public:
    ScaleHost(const std::string& name, const sim::Link::End& end, runtime::Pool& pool,
              const niu::Options& options, const siu::SiuOptions& siu, const topology::Paths& paths,
              const ScaleSetup& setup, ScaleTimes& times);

    unsigned poll(runtime::Time now) override;
    void set_quiet(bool quiet) override;
    std::size_t held() const override { return niu_.held(); }
    std::size_t discard() override { return isotach_.discard() + niu_.discard(); }

    void send_until(runtime::Time end) noexcept { until_ = end; }
    bool ready() const noexcept { return niu_.all_up() && siu_.started(); }
    const siu::Siu& siu() const noexcept { return siu_; }

  private:
    void take(const niu::Received& message) noexcept override;
    bool send_some(runtime::Time now);
    niu::NodeId somebody_else();
    runtime::Time later(runtime::Time than);

    niu::Niu niu_;
    niu::Dispatcher dispatcher_;
    siu::Siu siu_;
    isotach::Isotach isotach_;
    fabric::Random random_;
    std::vector<niu::NodeId> partners_;
    runtime::Duration every_;
    runtime::Time now_{};
    runtime::Time until_{};
    runtime::Time next_[2]{};  ///< an isochron, and a message outside logical time
    ScaleTimes& times_;
};

/// Hosts around a switch, or around those at the bottom of a tree, each with a token manager beside it, under
/// virtual time: every host and every switch has a CPU of its own, and what takes time is links, tokens and
/// waiting.
class ScaleNetwork {
  public:
    ScaleNetwork(const ScaleSetup& setup, runtime::Pool& pool);
    ~ScaleNetwork();
    ScaleNetwork(const ScaleNetwork&) = delete;
    ScaleNetwork& operator=(const ScaleNetwork&) = delete;

    /// Throws std::runtime_error when the hosts do not find each other.
    ScaleFigures run();

  private:
    /// A switch, and the token manager beside it.
    struct Hub {
        explicit Hub(const std::string& number)
            : to_manager("to_tm" + number), from_manager("from_tm" + number) {}

        runtime::Ring to_manager;
        runtime::Ring from_manager;
        std::unique_ptr<fabric::Switch> fabric;
        std::unique_ptr<node::ManagerStage> manager;
    };

    void add_hub(topology::SwitchId at, std::vector<fabric::Port> ports, niu::Options options,
                 runtime::Pool& pool);
    bool all_ready() const;
    std::uint64_t frames() const noexcept;
    std::uint64_t tokens() const noexcept;

    ScaleSetup setup_;
    ScaleTimes times_{};  ///< of all hosts
    std::shared_ptr<const node::Ways> ways_;
    sim::World world_;
    std::vector<std::unique_ptr<Hub>> hubs_;
    std::vector<std::unique_ptr<ScaleHost>> hosts_;
};

}  // namespace isoplane::perf
