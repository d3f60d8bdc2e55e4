// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdlib>
#include <isoplane/niu/niu.hh>
#include <isoplane/runtime/ring.hh>
#include <isoplane/wire/crc32c.hh>
#include <isoplane/wire/datagram.hh>
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

/// Two nodes, a and b, on one wire of two rings, polled by hand. Their frames travel in UDP where the
/// environment says NIU_TEST_ENCAPSULATION=udp.
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

    /// Somebody on the wire.
    struct Sender {
        wire::MacAddress mac;
        topology::Ip ip;
    };
    static constexpr Sender kA{{2, 0, 0, 0, 0, 0}, 0x0a000001};
    static constexpr Sender kB{{2, 0, 0, 0, 0, 1}, 0x0a000002};
    static constexpr Sender kForger{{2, 0, 0, 0, 0, 0x66}, 0x0a000066};

    static bool in_udp() {
        static const char* const encapsulation = std::getenv("NIU_TEST_ENCAPSULATION");
        return encapsulation != nullptr && std::string_view(encapsulation) == "udp";
    }
    /// IPv4 and UDP.
    static std::size_t extra() { return in_udp() ? wire::kIpv4Size + wire::kUdpSize : 0; }

    static niu::Options options(NodeId node) {
        niu::Options made{.node = node,
                          .nodes = {"a", "b"},
                          .job_key = 0x1234,
                          .epoch = 10U + node,
                          .mac = node == 0 ? kA.mac : kB.mac,
                          .window = 16};
        if (in_udp()) made.udp = {.addresses = {kA.ip, kB.ip}};
        return made;
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

    /// Of a data frame as a would send it to b.
    static wire::Header header_of_a() {
        return {.kind = wire::Kind::kData,
                .job_key = 0x1234,
                .source = 0,
                .destination = 1,
                .epoch = 10,
                .peer_epoch = 11};
    }
    /// Seals a frame for b and puts it on the wire.
    void put(wire::Header header, std::span<const std::byte> payload, const Sender& from = kA) {
        rte_mbuf* m = packet();
        const std::size_t size = wire::kHeaderSize + payload.size();
        const std::size_t front = wire::kEthernetSize + extra();
        auto* at =
            reinterpret_cast<std::byte*>(rte_pktmbuf_append(m, static_cast<std::uint16_t>(front + size)));
        wire::encode_ethernet(std::span<std::byte, wire::kEthernetSize>(at, wire::kEthernetSize), kB.mac,
                              from.mac, in_udp() ? wire::kIpv4EtherType : wire::kDefaultEtherType);
        if (in_udp())
            wire::Datagram({from.ip, kB.ip, wire::udp_source_port(0, 1), wire::kDefaultUdpPort})
                .write(at, size);
        at += front;
        std::copy(payload.begin(), payload.end(), at + wire::kHeaderSize);
        wire::encode_frame(std::span<std::byte, wire::kHeaderSize>(at, wire::kHeaderSize), header, payload);
        to_b.output().send(&m, 1);
    }
    /// A data frame with one empty message, as a would send it to b; then changed.
    template <typename Change>
    void forge(Change&& change, const Sender& from = kA) {
        wire::Header header = header_of_a();
        change(header);
        std::array<std::byte, wire::kMessageHeaderSize> message{};
        wire::encode_message(message, {Protocol::kNoniso, wire::kWholeMessage, 0, 0});
        put(header, std::span(message).first(header.kind == wire::Kind::kData ? message.size() : 0), from);
        b->poll(now);
    }
    std::uint64_t rejected_by_b(wire::Reject reason) const {
        return b->counters().rejected[static_cast<std::size_t>(reason)].get();
    }

    runtime::Ring to_a{"unit_niu_to_a"};
    runtime::Ring to_b{"unit_niu_to_b"};
    std::unique_ptr<niu::Niu> a;
    std::unique_ptr<niu::Niu> b;
    Time now{1s};
    niu::Received received;
};

}  // namespace isoplane::test
