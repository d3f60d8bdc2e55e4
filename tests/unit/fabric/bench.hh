// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <isoplane/fabric/switch.hh>
#include <memory>
#include <vector>

#include "../../sim/frames.hh"

namespace isoplane::test {

using runtime::Duration;
using runtime::Time;
using namespace std::chrono_literals;

/// An input that yields what a test puts in.
class Source final : public runtime::Input {
  public:
    using Input::Input;
    ~Source() override {
        for (rte_mbuf* frame : frames_)
            rte_pktmbuf_free(frame);
    }
    void put(rte_mbuf* frame) { frames_.push_back(frame); }

  private:
    std::uint16_t do_receive(rte_mbuf** packets, std::uint16_t room) noexcept override {
        std::uint16_t n = 0;
        for (; n < room && !frames_.empty(); ++n) {
            packets[n] = frames_.front();
            frames_.pop_front();
        }
        return n;
    }
    std::deque<rte_mbuf*> frames_;
};

/// An output that keeps what it is given, up to `room` frames more.
class Sink final : public runtime::Output {
  public:
    using Output::Output;
    ~Sink() override { take(); }

    std::size_t room = SIZE_MAX;

    const std::vector<rte_mbuf*>& frames() const { return frames_; }
    /// What has come so far; frees it.
    Tally take() {
        Tally tally;
        for (rte_mbuf* frame : frames_) {
            tally.see(frame);
            rte_pktmbuf_free(frame);
        }
        frames_.clear();
        return tally;
    }

  private:
    std::uint16_t do_send(rte_mbuf** packets, std::uint16_t n) noexcept override {
        const auto taken = static_cast<std::uint16_t>(std::min<std::size_t>(n, room));
        room -= taken;
        frames_.insert(frames_.end(), packets, packets + taken);
        return taken;
    }
    std::vector<rte_mbuf*> frames_;
};

inline runtime::Pool& pool() {
    static runtime::Pool the_pool("fabric_test", 16383);
    return the_pool;
}

/// A switch with a source and a sink at each port, and a clock. Station n is behind port n.
class Bench {
  public:
    explicit Bench(unsigned ports, const fabric::SwitchOptions& options = {},
                   runtime::Pool& copies = pool()) {
        std::vector<fabric::Port> edges;
        for (unsigned i = 0; i < ports; ++i) {
            sources_.push_back(std::make_unique<Source>("in" + std::to_string(i)));
            sinks_.push_back(std::make_unique<Sink>("out" + std::to_string(i)));
            edges.push_back({*sources_[i], *sinks_[i]});
        }
        fabric_ = std::make_unique<fabric::Switch>("fabric", edges, copies, options);
    }

    fabric::Switch& fabric() { return *fabric_; }
    Source& in(unsigned port) { return *sources_[port]; }
    Sink& out(unsigned port) { return *sinks_[port]; }
    Time now() const { return now_; }

    void poll(Duration later = 1us) {
        now_ += later;
        fabric_->poll(now_);
    }
    /// Until nothing is inside.
    void rest() {
        do {
            poll(10us);
        } while (fabric_->held() != 0);
    }
    /// Sends from one station to another and polls.
    void send(unsigned from, unsigned to, std::uint32_t number = 0) {
        in(from).put(numbered_frame(pool(), from, to, number));
        poll();
    }
    /// Lets the switch hear every station, and forgets that it did.
    void introduce_all() {
        for (unsigned i = 0; i < sinks_.size(); ++i) {
            in(i).put(numbered_frame(pool(), i, kBroadcast, i, 0));
            poll();
        }
        for (const auto& sink : sinks_)
            sink->take();
        fabric_->clear_counters();
    }
    /// `count` numbered frames from station 0 to station 1, in bursts.
    void stream(std::uint32_t count, std::uint32_t first = 0) {
        for (std::uint32_t i = first; i < first + count; ++i) {
            in(0).put(numbered_frame(pool(), 0, 1, i));
            if (i % 16 == 15) poll();
        }
        poll();
    }

  private:
    std::vector<std::unique_ptr<Source>> sources_;
    std::vector<std::unique_ptr<Sink>> sinks_;
    std::unique_ptr<fabric::Switch> fabric_;
    Time now_{};
};

/// Ends every test with the question whether all mbufs are back.
class FabricTest : public testing::Test {
  protected:
    void TearDown() override { EXPECT_EQ(pool().in_use(), 0U) << "frames leaked"; }
};

}  // namespace isoplane::test
