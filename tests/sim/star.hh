// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/niu/options.hh>
#include <memory>
#include <string>
#include <vector>

#include "weather.hh"

namespace isoplane::test {

/// Hosts around a switch.
template <typename Host>
struct Star {
    /// In the weather that a seed has. `make(node, end)` makes each of so many hosts at its end of a link.
    template <typename Make>
    Star(sim::World& world, std::uint64_t seed, const Climate& climate, niu::NodeId count, Make&& make) {
        std::vector<sim::Link*> links = build(world, seed, count, make);
        weather = std::make_unique<Weather>(*fabric, std::move(links), climate, seed);
        world.add(*weather, *fabric);
        for (const auto& host : hosts)
            world.add(*host);
    }
    /// In weather that stays as it is, and cuts nobody off.
    template <typename Make>
    Star(sim::World& world, std::uint64_t seed, Random& random, niu::NodeId count, Make&& make) {
        build(world, seed, count, make);
        for (unsigned port = 0; port < count; ++port)
            fabric->set(port, some_weather(random, comes_late(seed)));
        world.add(*fabric);
        for (const auto& host : hosts)
            world.add(*host);
    }

    std::vector<std::unique_ptr<Host>> hosts;
    std::unique_ptr<fabric::Switch> fabric;
    std::unique_ptr<Weather> weather;

  private:
    template <typename Make>
    std::vector<sim::Link*> build(sim::World& world, std::uint64_t seed, niu::NodeId count, Make&& make) {
        std::vector<fabric::Port> ports;
        std::vector<sim::Link*> links;
        for (niu::NodeId node = 0; node < count; ++node) {
            links.push_back(&world.connect("link" + std::to_string(node)));
            ports.push_back({links.back()->b().input, links.back()->b().output});
            hosts.push_back(make(node, links.back()->a()));
        }
        fabric = std::make_unique<fabric::Switch>(
            "fabric", ports, pool(), fabric::SwitchOptions{.seed = seed, .capacity = 1024, .addresses = 64});
        return links;
    }
};

}  // namespace isoplane::test
