// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <isoplane/channel/channels.hh>
#include <isoplane/fabric/switch.hh>
#include <isoplane/noniso/direct_endpoint.hh>
#include <isoplane/noniso/remote_endpoint.hh>
#include <isoplane/runtime/ring.hh>
#include <memory>
#include <string>
#include <vector>

namespace isoplane::test {

using namespace std::chrono_literals;
using channel::Buffer;
using channel::Channels;
using channel::Drop;
using channel::Mode;
using channel::Status;
using niu::NodeId;

/// How the nodes of a test are joined, and who polls them.
struct Ways {
    bool in_process = false;  ///< the link hands over the very packets, instead of copies
    bool lcore = false;       ///< the program is behind rings
};

/// Three nodes on a switch, each with channels, polled by hand.
class HostsTest : public testing::Test {
  protected:
    static constexpr NodeId kNodes = 3;
    static constexpr channel::Options kOptions{
        .channels = 4, .slots = 4, .held = 4, .send_buffers = 8, .copy_below = 64, .life = 1};

    struct Host {
        Host(NodeId node, const Ways& ways, runtime::Ring& in, runtime::Ring& out, runtime::Pool& pool,
             const channel::Options& options, std::uint32_t epoch = 1)
            : niu("niu" + std::to_string(node), in.input(), out.output(), pool,
                  {.node = node,
                   .nodes = {"a", "b", "c"},
                   .job_key = 7,
                   .epoch = epoch,
                   .mac = {2, 0, 0, 0, 0, static_cast<std::uint8_t>(node)},
                   .in_process = ways.in_process,
                   .window = 16,
                   .silence = 100ms}),
              dispatcher(niu),
              barrier(niu),
              direct(niu, barrier, wire::Protocol::kChannel),
              link(kNodes, "unit_channel" + std::to_string(node)),
              stage("endpoint", link, niu, dispatcher, barrier, wire::Protocol::kChannel),
              remote(link, pool),
              lcore(ways.lcore),
              channels(endpoint(), pool, node, kNodes, options) {
            dispatcher.attach(wire::Protocol::kChannel,
                              lcore ? static_cast<niu::Receiver*>(&stage) : &direct);
        }
        ~Host() {
            for (niu::Received message; endpoint().receive(message);)
                endpoint().release(message);
            stage.discard();
        }
        noniso::Endpoint& endpoint() { return lcore ? static_cast<noniso::Endpoint&>(remote) : direct; }
        void poll(runtime::Time time) {
            niu.poll(time);
            lcore ? static_cast<void>(stage.poll(time)) : static_cast<void>(dispatcher.dispatch());
            channels.poll();
        }

        niu::Niu niu;
        niu::Dispatcher dispatcher;
        noniso::Barrier barrier;
        noniso::DirectEndpoint direct;
        noniso::EndpointLink link;
        noniso::EndpointStage stage;
        noniso::RemoteEndpoint remote;
        bool lcore;
        Channels channels;
    };

    HostsTest() {
        std::vector<fabric::Port> ports;
        for (NodeId i = 0; i < kNodes; ++i) {
            for (auto* rings : {&up, &down, &in})
                (*rings)[i] = std::make_unique<runtime::Ring>("unit_channel" + std::to_string(i) + '_' +
                                                              std::to_string(rings - &up));
            ports.push_back({up[i]->input(), down[i]->output()});
        }
        fabric = std::make_unique<fabric::Switch>("fabric", ports, pool);
    }
    ~HostsTest() override {
        for (auto& host : hosts)
            host.reset();
        fabric.reset();
        for (auto* rings : {&up, &down, &in})
            for (auto& ring : *rings)
                ring->drain();
        for (rte_mbuf* packet : kept_by_driver)
            rte_pktmbuf_free(packet);
        EXPECT_EQ(pool.in_use(), 0U);
    }

    void start(const Ways& how, const channel::Options& options = kOptions) {
        ways = how;
        for (NodeId i = 0; i < kNodes; ++i)
            hosts[i] = std::make_unique<Host>(i, ways, *in[i], *up[i], pool, options);
        run(1ms);
    }
    void run(runtime::Duration duration) {
        run_with(kNodes, duration, [] {});
    }
    /// One of them does something else meanwhile.
    template <typename Instead>
    void run_with(NodeId node, runtime::Duration duration, Instead&& instead) {
        for (const runtime::Time end = now + duration; now < end; now += 5us) {
            for (NodeId i = 0; i < kNodes; ++i) {
                if (i == node)
                    instead();
                else if (hosts[i])
                    hosts[i]->poll(now);
            }
            fabric->poll(now);
            for (NodeId i = 0; i < kNodes; ++i)
                arrive(*down[i], *in[i]);
        }
    }
    Channels& at(NodeId node) { return hosts[node]->channels; }

    /// A buffer of node `from` with `size` bytes of that value.
    Buffer filled(NodeId from, std::size_t size, std::uint8_t value) {
        Buffer buffer = at(from).buffer();
        EXPECT_TRUE(buffer);
        if (buffer) std::fill_n(buffer.data().begin(), size, std::byte{value});
        return buffer;
    }
    Status send(NodeId from, NodeId to, channel::ChannelId channel, std::size_t size, std::uint8_t value,
                Mode mode = Mode::kDatagram) {
        const Buffer buffer = filled(from, size, value);
        return buffer ? at(from).send(to, channel, buffer, size, mode) : Status::kFull;
    }
    static bool is_filled(const Buffer& buffer, std::size_t size, std::uint8_t value) {
        return buffer.data().size() == size &&
               std::all_of(buffer.data().begin(), buffer.data().end(),
                           [&](std::byte b) { return b == std::byte{value}; });
    }
    Buffer receive(NodeId node, channel::ChannelId channel) {
        run(200us);
        return at(node).receive(channel);
    }
    std::uint64_t drops(NodeId node, Drop why) { return at(node).counters().drops(why); }
    std::uint64_t copied(NodeId node) { return hosts[node]->niu.counters().copied_bytes.get(); }

    runtime::Pool pool{"unit_channel", 4095, runtime::Pool::kDefaultRoom, 0};
    Ways ways;
    std::array<std::unique_ptr<runtime::Ring>, kNodes> up, down, in;
    std::unique_ptr<fabric::Switch> fabric;
    std::array<std::unique_ptr<Host>, kNodes> hosts;
    std::vector<rte_mbuf*> kept_by_driver;
    bool lazy_driver = false;  ///< never gives packets back that it has sent
    runtime::Time now{1s};

  private:
    void arrive(runtime::Ring& from, runtime::Ring& to) {
        runtime::Burst burst;
        const std::uint16_t n = from.input().receive(burst);
        if (!ways.in_process) {
            for (std::uint16_t i = 0; i < n; ++i) {
                rte_mbuf* const sent = burst[i];
                burst[i] = rte_pktmbuf_copy(sent, pool.raw(), 0, UINT32_MAX);
                lazy_driver ? kept_by_driver.push_back(sent) : rte_pktmbuf_free(sent);
            }
        }
        EXPECT_EQ(to.output().send(burst.data(), n), n);
    }
};

/// The same for all ways in which a program can be joined to the others.
class ChannelsTest : public HostsTest, public testing::WithParamInterface<Ways> {
  protected:
    ChannelsTest() { start(GetParam()); }
};

}  // namespace isoplane::test
