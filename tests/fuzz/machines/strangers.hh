// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// The other nodes of a job, as the host under test sees them: what they send, and what they hear of it.
#pragma once

#include <rte_mbuf.h>

#include <array>
#include <deque>
#include <functional>
#include <isoplane/niu/options.hh>
#include <isoplane/runtime/edge.hh>
#include <isoplane/runtime/packet.hh>
#include <isoplane/runtime/pool.hh>
#include <isoplane/wire/frame.hh>
#include <isoplane/wire/message.hh>
#include <isoplane/wire/view.hh>

#include "bytes.hh"
#include "subnets.hh"

namespace isoplane::fuzz {

using namespace std::chrono_literals;
using niu::NodeId;

constexpr NodeId kHere = 0;  ///< where the machine is a host
constexpr NodeId kHosts = 3;
constexpr NodeId kNodes = kHosts + 1;  ///< and their token manager
constexpr NodeId kMostNodes = 6;       ///< of any network here
constexpr std::uint32_t kKey = 7;

inline runtime::Pool& pool() {
    static runtime::Pool the_pool("fuzz", 2047);
    return the_pool;
}

/// What the others have sent.
class Source final : public runtime::Input {
  public:
    Source() : Input("source", Bytes::kNotCounted) {}
    ~Source() override {
        for (rte_mbuf* packet : waiting)
            rte_pktmbuf_free(packet);
    }
    std::deque<rte_mbuf*> waiting;

  private:
    std::uint16_t do_receive(rte_mbuf** packets, std::uint16_t room) noexcept override {
        std::uint16_t n = 0;
        for (; n < room && !waiting.empty(); ++n, waiting.pop_front())
            packets[n] = waiting.front();
        return n;
    }
};

/// Another node, as far as it knows what it is expected to say.
struct Stranger {
    std::uint32_t epoch = 1;
    std::uint32_t sequence = 0;  ///< of its next frame
    std::uint32_t received = 0;  ///< the next frame of the host's
    std::uint32_t credit = 16;   ///< given to it
    std::uint32_t isochron = 0;
    std::uint32_t count = 0;  ///< of isotach messages
    std::uint64_t token = 1;
    std::uint8_t part = 0;  ///< of that token, which comes next
    std::uint8_t last_part = 0;
    std::uint32_t view = 0;  ///< in which it has said tokens
};

/// Learns from what the machine sends.
class Sink final : public runtime::Output {
  public:
    explicit Sink(wire::Transport by = wire::Transport::kEthernet)
        : Output("sink", Bytes::kNotCounted), transport(by) {}
    const wire::Transport transport;
    bool full = false;
    std::array<Stranger, kMostNodes> others{};
    std::uint32_t ballot = 4;  ///< that it has asked others for
    /// What the messages are told to that a node hears, if anybody wants to know; and all frames.
    std::function<void(NodeId, const wire::Message&)> hears;
    std::function<void(const wire::Decoded&)> sees;

  private:
    std::uint16_t do_send(rte_mbuf** packets, std::uint16_t n) noexcept override {
        if (full) return 0;
        for (std::uint16_t i = 0; i < n; ++i) {
            listen(*packets[i]);
            rte_pktmbuf_free(packets[i]);
        }
        return n;
    }

    void listen(const rte_mbuf& packet) {
        const std::uint32_t size = packet.pkt_len;
        if (size > in_one_piece_.size()) return;
        const void* const at = rte_pktmbuf_read(&packet, 0, size, in_one_piece_.data());
        const wire::Decoded frame = wire::decode({static_cast<const std::byte*>(at), size},
                                                 {.encapsulation = {.transport = transport},
                                                  .job_key = kKey,
                                                  .node = wire::kBroadcast,
                                                  .node_count = kMostNodes});
        if (!frame) return;
        if (sees) sees(frame);
        if (frame.header.kind == wire::Kind::kView)
            learn_ballot(*wire::decode_view(frame.payload, kMostNodes));
        const NodeId to = frame.header.destination;
        if (frame.header.kind != wire::Kind::kData || to >= kMostNodes) return;
        others[to].received = frame.header.sequence + 1;
        if (!hears) return;
        wire::MessageCursor messages(frame.payload);
        for (wire::Message message; messages.next(message);)
            hears(to, message);
    }

    void learn_ballot(const wire::ViewMessage& message) {
        if (message.step == wire::ViewStep::kPrepare || message.step == wire::ViewStep::kAccept)
            ballot = message.ballot;
    }

    std::array<std::byte, 2048> in_one_piece_;
};

inline niu::Options niu_options(bool manages, wire::Transport transport = wire::Transport::kEthernet) {
    return {.node = kHere,
            .nodes = {"a", "b", "c", ""},
            .job_key = kKey,
            .epoch = 1,
            .mac = {2, 0, 0, 0, 0, 0},
            .udp = udp_network(transport, kNodes),
            .manages = manages,
            .window = 16,
            .silence = 50ms,
            .hello_limit = 10ms};
}

}  // namespace isoplane::fuzz
