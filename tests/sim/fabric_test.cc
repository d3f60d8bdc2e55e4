// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <isoplane/fabric/switch.hh>
#include <isoplane/sim/world.hh>
#include <memory>

#include "chance.hh"
#include "host.hh"
#include "seeds.hh"
#include "summary.hh"

namespace isoplane::test {

namespace {

/// Each kind is on or off, and of any strength.
Impairment some_settings(Random& random) {
    Impairment i = some_impairment(random, {.loss = 0.3,
                                            .duplicate = 0.3,
                                            .reorder = 0.5,
                                            .corrupt = 0.3,
                                            .delay = 20us,
                                            .jitter = 10us,
                                            .gap = 8,
                                            .hold = 100us});
    if (random.below(2) == 0) i.rate = 100'000'000 + random.below(10'000'000'000);
    i.queue = static_cast<unsigned>(1 + random.below(500));
    return i;
}

/// A switch with a host at each port.
class Network {
  public:
    Network(std::uint64_t seed, unsigned count) : random(seed, 1), world(seed, pool()) {
        std::vector<fabric::Port> ports;
        for (unsigned i = 0; i < count; ++i) {
            sim::LinkModel model{.latency = 100ns + some(random, 2us), .capacity = 64};
            sim::Link& link = world.connect("host" + std::to_string(i), model);
            ports.push_back({link.b().input, link.b().output});
            hosts.push_back(std::make_unique<Host>(i, count, link.a(), pool(), seed));
        }
        fabric = std::make_unique<fabric::Switch>(
            "fabric", ports, pool(),
            fabric::SwitchOptions{.seed = seed, .capacity = 1024, .addresses = 1024});
        world.add(*fabric);
        for (const auto& host : hosts)
            world.add(*host);
        introduce();
    }

    bool finished() const {
        return std::all_of(hosts.begin(), hosts.end(), [](const auto& host) { return host->has_finished(); });
    }

    void expect_conservation() {
        std::uint64_t sent = 0;
        std::uint64_t in = 0;
        std::uint64_t cut_in = 0;
        std::uint64_t offered = 0;
        for (unsigned port = 0; port < hosts.size(); ++port) {
            SCOPED_TRACE("port " + std::to_string(port));
            const fabric::EgressCounters& out = fabric->egress(port);
            EXPECT_EQ(out.offered.get() + out.duplicated.get(),
                      out.out.get() + out.lost.get() + out.queue_full.get() + out.cut.get());
            EXPECT_EQ(out.out.get(), hosts[port]->received());
            EXPECT_EQ(fabric->ingress(port).in.get(), hosts[port]->sent());
            EXPECT_EQ(hosts[port]->foreign(), 0U);
            EXPECT_EQ(out.no_memory.get(), 0U);
            sent += hosts[port]->sent();
            in += fabric->ingress(port).in.get();
            cut_in += fabric->ingress(port).cut.get();
            offered += out.offered.get();
        }
        EXPECT_EQ(in, sent);
        EXPECT_EQ(offered, in - cut_in);
    }

    void add_to(Summary& summary) const {
        ++summary.seeds;
        summary.add(*fabric);
        for (const auto& host : hosts)
            summary.frames += host->sent();
    }

    Random random;
    sim::World world;
    std::unique_ptr<fabric::Switch> fabric;
    std::vector<std::unique_ptr<Host>> hosts;

  private:
    /// So that no frame of the test itself is flooded.
    void introduce() {
        for (const auto& host : hosts)
            host->greet();
        EXPECT_TRUE(world.run_until([this] { return finished(); }, 1ms));
        world.run_for(1ms);
        fabric->clear_counters();
    }
};

/// Streams from each host to the next, through ports with random impairments: what a port says against what
/// the one receiver behind it sees. Returns what the world did.
std::uint64_t run_ring(std::uint64_t seed, std::uint64_t frames, Summary& summary) {
    Random draw(seed, 0);
    Network net(seed, static_cast<unsigned>(2 + draw.below(5)));
    const auto n = static_cast<unsigned>(net.hosts.size());
    for (unsigned i = 0; i < n; ++i) {
        net.fabric->set(i, some_settings(net.random));
        net.hosts[i]->talk_to({(i + 1) % n}, frames);
    }
    EXPECT_TRUE(net.world.run_until([&] { return net.finished(); }, 1s));
    EXPECT_EQ(net.world.drain(), 0U);
    net.expect_conservation();
    for (unsigned i = 0; i < n; ++i) {
        const fabric::EgressCounters& said = net.fabric->egress((i + 1) % n);
        const Host& receiver = *net.hosts[(i + 1) % n];
        const Tally& stream = receiver.stream(i);
        EXPECT_EQ(said.corrupted.get(), receiver.damaged());
        EXPECT_EQ(said.duplicated.get(), stream.duplicates);
        EXPECT_EQ(said.reordered.get(), stream.late);
        EXPECT_EQ(frames + said.duplicated.get(),
                  stream.all + said.lost.get() + said.queue_full.get() + said.corrupted.get());
    }
    net.add_to(summary);
    return net.world.trace_hash();
}

/// All talk to all while settings, cuts and partitions come and go.
void run_mesh(std::uint64_t seed, Summary& summary) {
    Random draw(seed, 0);
    Network net(seed, static_cast<unsigned>(2 + draw.below(7)));
    const auto n = static_cast<unsigned>(net.hosts.size());
    std::vector<unsigned> all(n);
    for (unsigned i = 0; i < n; ++i)
        all[i] = i;
    for (unsigned i = 0; i < n; ++i) {
        std::vector<unsigned> others = all;
        others.erase(others.begin() + i);
        net.hosts[i]->talk_to(others, 200);
    }
    for (unsigned change = 0; change < 10; ++change) {
        Impairment settings = some_settings(net.random);
        settings.cut = net.random.below(8) == 0;
        net.fabric->set(static_cast<unsigned>(net.random.below(n)), settings);
        fabric::Partition groups(n, 0);
        if (net.random.below(4) == 0) groups[net.random.below(n)] = 1;
        net.fabric->set_partition(groups);
        net.world.run_for(some(net.random, 20us));
    }
    EXPECT_TRUE(net.world.run_until([&] { return net.finished(); }, 1s));
    EXPECT_EQ(net.world.drain(), 0U);
    net.expect_conservation();
    net.add_to(summary);
}

}  // namespace

TEST(FabricSim, what_ports_count_is_what_receivers_see) {
    Summary all;
    for_each_seed(300, [&](std::uint64_t seed) {
        run_ring(seed, 500, all);
        EXPECT_EQ(pool().in_use(), 0U);
    });
    std::cout << all;
}

TEST(FabricSim, no_frame_is_unaccounted_for_under_changing_faults) {
    Summary all;
    for_each_seed(300, [&](std::uint64_t seed) {
        run_mesh(seed, all);
        EXPECT_EQ(pool().in_use(), 0U);
    });
    std::cout << all;
}

TEST(FabricSim, a_seed_replays_exactly_and_others_differ) {
    Summary all;
    for_each_seed(30, [&](std::uint64_t seed) {
        const std::uint64_t once = run_ring(seed, 200, all);
        EXPECT_EQ(run_ring(seed, 200, all), once);
        EXPECT_NE(run_ring(seed + 1'000'000, 200, all), once);
    });
}

}  // namespace isoplane::test
