// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/membership/manager.hh>
#include <isoplane/niu/niu.hh>
#include <isoplane/tm/token_manager.hh>
#include <isoplane/topology/builders.hh>
#include <isoplane/wire/hello.hh>
#include <optional>

#include "strangers.hh"

namespace isoplane::fuzz {

/// A ring of three switches, each with a host.
inline const topology::Paths& ring() {
    static const topology::Topology topology = topology::ring(3, 1);
    static const topology::Paths paths(topology);
    return paths;
}
constexpr NodeId kManager = kHosts;  ///< of the first of its switches
static_assert(kMostNodes == 2 * kHosts);

struct ManagerSetting {
    bool survives = false;
    wire::Transport transport = wire::Transport::kEthernet;
    std::uint32_t ahead = 1;
};

/// A token manager on its own.
class Manager {
  public:
    explicit Manager(const ManagerSetting& setting)
        : sink(setting.transport),
          niu_("niu", source, sink, pool(), options(setting)),
          manager_(niu_, ring(), kManager, {.ahead = setting.ahead, .in_views = setting.survives}) {
        if (setting.survives)
            membership_.emplace(niu_, manager_, ring().topology(), membership::Options{.limit = 5ms});
    }
    ~Manager() { niu_.discard(); }

    void pass(runtime::Duration time) {
        now_ += time;
        niu_.poll(now_);
        if (membership_) membership_->poll(now_);
    }
    void be_quiet(bool quiet) {
        niu_.set_quiet(quiet);
        manager_.be_quiet(quiet);
    }

    const tm::TokenManager& tokens() const { return manager_; }
    /// nullptr where time does not survive.
    const wire::View* view() const { return membership_ ? &membership_->agreement().view() : nullptr; }

    Source source;
    Sink sink;

  private:
    static niu::Options options(const ManagerSetting& setting) {
        niu::Options options = niu_options(false);
        options.node = kManager;
        options.nodes = std::vector<std::string>(kMostNodes);
        options.udp = udp_network(setting.transport, kMostNodes);
        // Neither a view of all nor more than a few entries of a token fit a frame.
        options.mtu = static_cast<std::uint16_t>(wire::least_mtu({.transport = setting.transport}));
        return options;
    }

    runtime::Time now_{1s};
    niu::Niu niu_;
    tm::TokenManager manager_;
    std::optional<membership::Manager> membership_;
};

}  // namespace isoplane::fuzz
