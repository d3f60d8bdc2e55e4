// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <isoplane/fabric/switch.hh>
#include <isoplane/niu/names.hh>
#include <isoplane/niu/niu.hh>
#include <isoplane/runtime/ring.hh>
#include <isoplane/topology/builders.hh>
#include <isoplane/topology/paths.hh>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace isoplane::test {

using namespace std::chrono_literals;
using niu::NodeId;
using runtime::Duration;
using runtime::Time;

inline runtime::Pool& station_pool() {
    static runtime::Pool the_pool("unit_stations", 8191);
    return the_pool;
}

/// The nodes of a topology, hosts and token managers, each with an NIU on one Ethernet of rings, polled by
/// hand under a clock that nothing but the test moves.
class Stations {
  public:
    /// The hosts in `managing` are the token managers of their switches.
    explicit Stations(topology::Topology of, niu::Options options = {}, std::vector<NodeId> managing = {})
        : topology_(std::move(of)),
          paths_(topology_),
          options_(std::move(options)),
          managing_(std::move(managing)) {
        std::vector<fabric::Port> ports;
        for (std::size_t i = 0; i < topology_.node_count(); ++i) {
            const std::string name = "unit_station" + std::to_string(i);
            stations_.push_back({.up = std::make_unique<runtime::Ring>(name + "_up"),
                                 .down = std::make_unique<runtime::Ring>(name + "_down")});
            stations_.back().valve = std::make_unique<Valve>(stations_.back().up->output());
            ports.push_back({stations_.back().up->input(), stations_.back().down->output()});
        }
        options_.nodes = niu::names_of_hosts(topology_);
        fabric_ = std::make_unique<fabric::Switch>("fabric", ports, station_pool());
        for (std::size_t i = 0; i < topology_.node_count(); ++i)
            start(static_cast<NodeId>(i), 1);
    }

    ~Stations() {
        for (Station& station : stations_)
            station.niu.reset();
        fabric_->discard();
        for (const Station& station : stations_) {
            station.up->drain();
            station.down->drain();
        }
        EXPECT_EQ(station_pool().in_use(), 0U) << "packets leaked";
    }
    Stations(const Stations&) = delete;
    Stations& operator=(const Stations&) = delete;

    /// A new life of the node; what used its NIU is gone by then.
    void start(NodeId node, std::uint32_t epoch) {
        Station& station = stations_[node];
        station.poll = nullptr;
        station.niu.reset();
        niu::Options own = options_;
        own.node = node;
        own.epoch = epoch;
        own.manages = manages(node);
        own.mac = {2, 0, 0, 0, 0, static_cast<std::uint8_t>(node)};
        station.niu = std::make_unique<niu::Niu>(topology_.name(node), station.down->input(), *station.valve,
                                                 station_pool(), own);
    }
    /// What is polled after the NIU of that node.
    void poll_with(NodeId node, std::function<void(Time)> poll) { stations_[node].poll = std::move(poll); }

    bool manages(NodeId node) const {
        return std::find(managing_.begin(), managing_.end(), node) != managing_.end();
    }
    /// The token manager is a host.
    bool is_managed(NodeId manager) const {
        return std::any_of(managing_.begin(), managing_.end(), [&](NodeId host) {
            return topology_.switch_of(host) == topology_.switch_of(manager);
        });
    }
    niu::Niu& niu(NodeId node) { return *stations_[node].niu; }
    fabric::Switch& fabric() { return *fabric_; }
    const topology::Topology& topology() const { return topology_; }
    const topology::Paths& paths() const { return paths_; }
    NodeId hosts() const { return static_cast<NodeId>(topology_.host_count()); }
    Time now() const { return now_; }

    /// One turn: every node once, then the Ethernet.
    void step(Duration by = 5us) {
        for (const Station& station : stations_) {
            station.valve->this_turn = 0;
            station.niu->poll(now_);
            if (station.poll) station.poll(now_);
        }
        fabric_->poll(now_);
        now_ += by;
    }
    void run(Duration duration, Duration by = 5us) {
        for (const Time end = now_ + duration; now_ < end;)
            step(by);
    }
    /// Turns until `over()`; UINT_MAX when `most` of them were not enough.
    template <typename Over>
    unsigned steps_until(Over&& over, unsigned most = 100'000) {
        for (unsigned steps = 0; steps <= most; ++steps, step()) {
            if (over()) return steps;
        }
        return UINT_MAX;
    }

    /// No frame reaches the node, or all do again.
    void deafen(NodeId node, bool deaf = true) { fabric_->set(node, {.loss = deaf ? 1.0 : 0.0}); }

    /// Nothing leaves the node: its output is full.
    void clog(NodeId node, bool clogged = true) { narrow(node, clogged ? 0 : UINT16_MAX); }
    /// So many packets leave the node in a turn.
    void narrow(NodeId node, std::uint16_t packets) { stations_[node].valve->each_turn = packets; }

  private:
    struct Valve final : runtime::Output {
        explicit Valve(runtime::Output& behind) : Output("valve"), to(behind) {}
        std::uint16_t do_send(rte_mbuf** packets, std::uint16_t n) noexcept override {
            const std::uint16_t sent = to.send(packets, std::min(n, std::uint16_t(each_turn - this_turn)));
            this_turn = static_cast<std::uint16_t>(this_turn + sent);
            return sent;
        }

        runtime::Output& to;
        std::uint16_t each_turn = UINT16_MAX;
        std::uint16_t this_turn = 0;
    };
    struct Station {
        std::unique_ptr<runtime::Ring> up;
        std::unique_ptr<runtime::Ring> down;
        std::unique_ptr<Valve> valve{};
        std::unique_ptr<niu::Niu> niu{};
        std::function<void(Time)> poll{};
    };

    topology::Topology topology_;
    topology::Paths paths_;
    niu::Options options_;
    std::vector<NodeId> managing_;
    std::vector<Station> stations_;
    std::unique_ptr<fabric::Switch> fabric_;
    Time now_{1s};
};

}  // namespace isoplane::test
