// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <gtest/gtest.h>

#include <array>
#include <isoplane/fabric/switch.hh>
#include <isoplane/niu/dispatcher.hh>
#include <isoplane/noniso/barrier.hh>
#include <isoplane/runtime/ring.hh>
#include <memory>
#include <string>
#include <vector>

namespace isoplane::test {

using namespace std::chrono_literals;
using niu::NodeId;
using noniso::BarrierState;
using runtime::Time;

/// Three nodes on a switch, each with a barrier, polled by hand.
class TrioTest : public testing::Test {
  protected:
    static constexpr NodeId kNodes = 3;

    /// What a node is made of.
    struct Host {
        Host(NodeId node, std::uint32_t epoch, runtime::Ring& in, runtime::Ring& out, runtime::Pool& pool,
             noniso::Loss loss)
            : niu("niu" + std::to_string(node), in.input(), out.output(), pool,
                  {.node = node,
                   .nodes = {"a", "b", "c"},
                   .job_key = 7,
                   .epoch = epoch,
                   .mac = {2, 0, 0, 0, 0, static_cast<std::uint8_t>(node)},
                   .window = 16,
                   .silence = 100ms}),
              dispatcher(niu),
              barrier(niu, loss) {
            dispatcher.attach(wire::Protocol::kControl, &barrier);
        }
        niu::Niu niu;
        niu::Dispatcher dispatcher;
        noniso::Barrier barrier;
    };

    TrioTest() {
        std::vector<fabric::Port> ports;
        for (NodeId i = 0; i < kNodes; ++i) {
            up[i] = std::make_unique<runtime::Ring>("unit_trio_up" + std::to_string(i));
            down[i] = std::make_unique<runtime::Ring>("unit_trio_down" + std::to_string(i));
            ports.push_back({up[i]->input(), down[i]->output()});
            start(i, 1);
        }
        fabric = std::make_unique<fabric::Switch>("fabric", ports, pool);
    }
    ~TrioTest() override {
        for (auto& host : hosts)
            host.reset();
        fabric.reset();
        for (NodeId i = 0; i < kNodes; ++i) {
            up[i]->drain();
            down[i]->drain();
        }
        EXPECT_EQ(pool.in_use(), 0U);
    }
    void start(NodeId node, std::uint32_t epoch, noniso::Loss loss = noniso::Loss::kBreaks) {
        hosts[node].reset();
        hosts[node] = std::make_unique<Host>(node, epoch, *down[node], *up[node], pool, loss);
    }
    void run(runtime::Duration duration) {
        for (const Time end = now + duration; now < end; now += 5us) {
            for (auto& host : hosts) {
                if (!host) continue;
                host->niu.poll(now);
                host->dispatcher.dispatch();
                host->barrier.poll();
            }
            fabric->poll(now);
        }
    }
    noniso::Barrier& barrier(NodeId node) { return hosts[node]->barrier; }

    runtime::Pool pool{"unit_trio", 2047, runtime::Pool::kDefaultRoom, 0};
    std::array<std::unique_ptr<runtime::Ring>, kNodes> up;
    std::array<std::unique_ptr<runtime::Ring>, kNodes> down;
    std::unique_ptr<fabric::Switch> fabric;
    std::array<std::unique_ptr<Host>, kNodes> hosts;
    Time now{1s};
};

}  // namespace isoplane::test
