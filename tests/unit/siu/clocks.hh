// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <isoplane/siu/siu.hh>
#include <isoplane/tm/token_manager.hh>
#include <memory>
#include <vector>

#include "stations.hh"

namespace isoplane::test {

/// A network whose hosts have an SIU each and nothing above it; each token manager is on a port of its own.
struct Clocks {
    explicit Clocks(topology::Topology of, siu::SiuOptions options = {}, std::vector<NodeId> managing = {})
        : stations(std::move(of), {}, std::move(managing)), options_(std::move(options)) {
        sius.resize(stations.hosts());
        for (NodeId host = 0; host < stations.hosts(); ++host)
            put(host);
        for (std::size_t node = stations.hosts(); node < stations.topology().node_count(); ++node) {
            const auto id = static_cast<NodeId>(node);
            if (stations.is_managed(id)) continue;
            managers.push_back(std::make_unique<tm::TokenManager>(stations.niu(id), stations.paths(), id,
                                                                  options_.exchange));
        }
    }

    /// Another life of a host.
    void restart(NodeId host, std::uint32_t epoch) {
        sius[host].reset();
        stations.start(host, epoch);
        put(host);
    }
    void want(bool wanted) {
        for (const auto& siu : sius)
            siu->want(wanted);
    }
    /// Until every host's clock has got there.
    unsigned steps_to(siu::Pulse clock) {
        return stations.steps_until([&] {
            return std::all_of(sius.begin(), sius.end(),
                               [&](const auto& siu) { return siu->ended() >= clock; });
        });
    }

    Stations stations;
    std::vector<std::unique_ptr<siu::Siu>> sius;
    std::vector<std::unique_ptr<tm::TokenManager>> managers;

  private:
    void put(NodeId host) {
        sius[host] = std::make_unique<siu::Siu>(stations.niu(host), stations.paths(), options_);
    }

    siu::SiuOptions options_;
};

}  // namespace isoplane::test
