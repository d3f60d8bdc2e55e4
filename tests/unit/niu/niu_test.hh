// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/niu/niu.hh>
#include <isoplane/runtime/ring.hh>
#include <isoplane/wire/crc32c.hh>
#include <memory>
#include <string>
#include <vector>

#include "pool_test.hh"

namespace isoplane::test {

using niu::NodeId;
using niu::PeerState;
using runtime::Duration;
using runtime::Time;
using wire::Protocol;
using namespace std::chrono_literals;

/// Two nodes, a and b, on one wire of two rings, polled by hand.
class NiuTest : public PoolTest {
  protected:
    NiuTest() { start(); }
    ~NiuTest() override = default;

    void TearDown() override {
        a.reset();
        b.reset();
        to_a.drain();
        to_b.drain();
        PoolTest::TearDown();
    }

    static niu::Options options(NodeId node) {
        return {.node = node,
                .nodes = {"a", "b"},
                .job_key = 0x1234,
                .epoch = 10U + node,
                .mac = {2, 0, 0, 0, 0, static_cast<std::uint8_t>(node)},
                .window = 16};
    }
    /// Of a window of 16, what urgent messages leave to others.
    static constexpr int kOrdinaryFrames = 12;

    void start() { start(options(0), options(1)); }
    void start(const niu::Options& of_a, const niu::Options& of_b) {
        a = std::make_unique<niu::Niu>("a", to_a.input(), to_b.output(), niu_pool(), of_a);
        b = std::make_unique<niu::Niu>("b", to_b.input(), to_a.output(), niu_pool(), of_b);
    }

    /// Polls both until `duration` has passed.
    void run(Duration duration, Duration step = 5us) {
        for (const Time end = now + duration; now < end; now += step) {
            if (a) a->poll(now);
            if (b) b->poll(now);
        }
    }
    void meet() {
        run(100us);
        ASSERT_EQ(a->state(1), PeerState::kUp);
        ASSERT_EQ(b->state(0), PeerState::kUp);
    }
    static std::vector<std::byte> bytes(std::size_t n, unsigned start = 0) {
        std::vector<std::byte> made(n);
        for (std::size_t i = 0; i < n; ++i)
            made[i] = static_cast<std::byte>(start + i * 7);
        return made;
    }
    static std::vector<std::byte> copy_of(const niu::Received& r) { return {r.data.begin(), r.data.end()}; }

    /// A data frame with one empty message, as a would send it to b; then changed, sealed and put on the
    /// wire.
    template <typename Change>
    void forge(Change&& change, const wire::MacAddress& from = {2, 0, 0, 0, 0, 0}) {
        wire::Header header{.kind = wire::Kind::kData,
                            .job_key = 0x1234,
                            .source = 0,
                            .destination = 1,
                            .epoch = 10,
                            .peer_epoch = 11};
        change(header);
        rte_mbuf* m = packet();
        auto* at = reinterpret_cast<std::byte*>(rte_pktmbuf_append(m, 14 + 48 + 8));
        wire::encode_ethernet(std::span<std::byte, 14>(at, 14), {2, 0, 0, 0, 0, 1}, from,
                              wire::kDefaultEtherType);
        wire::encode_message(std::span<std::byte, 8>(at + 62, 8),
                             {Protocol::kNoniso, wire::kWholeMessage, 0, 0});
        const bool data = header.kind == wire::Kind::kData;
        wire::encode_frame(std::span<std::byte, 48>(at + 14, 48), header, {at + 62, data ? 8U : 0U});
        to_b.output().send(&m, 1);
        b->poll(now);
    }

    runtime::Ring to_a{"unit_niu_to_a"};
    runtime::Ring to_b{"unit_niu_to_b"};
    std::unique_ptr<niu::Niu> a;
    std::unique_ptr<niu::Niu> b;
    Time now{1s};
    niu::Received received;
};

}  // namespace isoplane::test
