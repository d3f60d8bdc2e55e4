// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <chrono>
#include <isoplane/fabric/switch.hh>
#include <isoplane/niu/options.hh>
#include <isoplane/sim/world.hh>
#include <memory>
#include <string>
#include <vector>

#include "chance.hh"

namespace isoplane::test {

/// Hosts around a switch with every fault, as strong as chance has it.
template <typename Host>
struct Star {
    /// `make(node, end)` makes each of so many hosts at its end of a link.
    template <typename Make>
    Star(sim::World& world, std::uint64_t seed, Random& random, niu::NodeId count, Make&& make) {
        using namespace std::chrono_literals;
        std::vector<fabric::Port> ports;
        for (niu::NodeId node = 0; node < count; ++node) {
            sim::Link& link = world.connect("link" + std::to_string(node));
            ports.push_back({link.b().input, link.b().output});
            hosts.push_back(make(node, link.a()));
        }
        fabric = std::make_unique<fabric::Switch>(
            "fabric", ports, pool(), fabric::SwitchOptions{.seed = seed, .capacity = 1024, .addresses = 64});
        for (unsigned port = 0; port < count; ++port)
            fabric->set(port, some_impairment(random, {.loss = 0.1,
                                                       .duplicate = 0.1,
                                                       .reorder = 0.1,
                                                       .corrupt = 0.05,
                                                       .late = seed % 4 == 0 ? 0.05 : 0,
                                                       .after = {100us, 20ms},
                                                       .delay = 20us,
                                                       .jitter = 20us,
                                                       .gap = 20,
                                                       .hold = 100us}));
        world.add(*fabric);
        for (const auto& host : hosts)
            world.add(*host);
    }

    std::vector<std::unique_ptr<Host>> hosts;
    std::unique_ptr<fabric::Switch> fabric;
};

}  // namespace isoplane::test
