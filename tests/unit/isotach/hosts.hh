// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <isoplane/isotach/isotach.hh>
#include <isoplane/tm/token_manager.hh>
#include <memory>
#include <vector>

#include "stations.hh"

namespace isoplane::test {

using Bytes = std::vector<std::byte>;

inline Bytes bytes(std::size_t n, unsigned start = 0) {
    Bytes made(n);
    for (std::size_t i = 0; i < n; ++i)
        made[i] = static_cast<std::byte>(start + i * 7);
    return made;
}

struct HostOptions {
    niu::Options niu{};
    siu::SiuOptions siu{};
    isotach::Options isotach{};
};

/// What a host of logical time is made of; the test is its user.
struct Host {
    Host(niu::Niu& its_niu, const topology::Paths& paths, const HostOptions& options)
        : niu(its_niu),
          dispatcher(niu),
          siu(niu, paths, options.siu),
          isotach(niu, siu, station_pool(), options.isotach) {
        isotach.attach_to(dispatcher);
    }
    void poll(Time now) {
        dispatcher.dispatch();
        isotach.poll(now);
    }

    /// An isochron of small messages, one for each host that is named.
    bool send(const std::vector<NodeId>& to, unsigned start = 0, std::size_t size = 8) {
        isotach::Isochron isochron = isotach.isochron();
        for (const NodeId host : to)
            EXPECT_TRUE(isochron.add(host, bytes(size, start++)));
        return isotach.send(isochron);
    }
    /// All that there is to receive; not released.
    std::vector<isotach::Delivery> receive() {
        std::vector<isotach::Delivery> all;
        for (isotach::Delivery delivery; isotach.receive(delivery);)
            all.push_back(delivery);
        return all;
    }
    void release(const std::vector<isotach::Delivery>& deliveries) {
        for (const isotach::Delivery& delivery : deliveries)
            isotach.release(delivery);
    }

    niu::Niu& niu;
    niu::Dispatcher dispatcher;
    siu::Siu siu;
    isotach::Isotach isotach;
};

/// A network of hosts that have met, and have a time to send at.
struct Hosts {
    explicit Hosts(topology::Topology of, HostOptions options = {}, std::vector<NodeId> managing = {})
        : stations(std::move(of), options.niu, std::move(managing)) {
        for (NodeId host = 0; host < stations.hosts(); ++host) {
            hosts.push_back(std::make_unique<Host>(stations.niu(host), stations.paths(), options));
            stations.poll_with(host, [host = hosts.back().get()](Time now) { host->poll(now); });
        }
        for (std::size_t node = stations.hosts(); node < stations.topology().node_count(); ++node) {
            const auto id = static_cast<NodeId>(node);
            if (stations.is_managed(id)) continue;
            managers.push_back(std::make_unique<tm::TokenManager>(stations.niu(id), stations.paths(), id,
                                                                  options.siu.exchange));
        }
        EXPECT_NE(stations.steps_until([this] {
            return std::all_of(hosts.begin(), hosts.end(), [this](const auto& host) {
                for (NodeId to = 0; to < stations.hosts(); ++to) {
                    if (&host->niu != &stations.niu(to) && host->niu.state(to) != niu::PeerState::kUp)
                        return false;
                }
                return host->siu.started();
            });
        }),
                  UINT_MAX);
    }

    Host& operator[](NodeId host) { return *hosts[host]; }
    void run(Duration duration) { stations.run(duration); }

    Stations stations;
    std::vector<std::unique_ptr<Host>> hosts;
    std::vector<std::unique_ptr<tm::TokenManager>> managers;
};

}  // namespace isoplane::test
