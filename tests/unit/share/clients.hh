// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <deque>
#include <isoplane/share/client_rings.hh>
#include <isoplane/share/exchange.hh>
#include <isoplane/wire/frame.hh>
#include <memory>
#include <string>
#include <vector>

namespace isoplane::test {

using share::Identity;

/// Of the jobs.
inline constexpr std::uint16_t kHosts = 100;

inline Identity identity(std::uint16_t node, std::uint32_t key = 7) {
    const auto low = static_cast<std::uint8_t>(node);
    return {.mac = {2, 0, 0, 0, static_cast<std::uint8_t>(key), low},
            .job_key = key,
            .node = node,
            .hosts = kHosts};
}
/// Of a node behind the port.
inline const Identity kFar = identity(99);

/// A packet with a frame from one to another: its size is all there is in it.
inline runtime::Packet frame(runtime::Pool& pool, const Identity& from, const Identity& to,
                             std::uint16_t size = 64, wire::Kind kind = wire::Kind::kAck) {
    runtime::Packet packet = pool.packet();
    if (!packet) return packet;
    auto* at = reinterpret_cast<std::byte*>(rte_pktmbuf_append(packet.get(), size));
    std::fill_n(at, size, std::byte{});
    wire::encode_ethernet(std::span<std::byte, wire::kEthernetSize>(at, wire::kEthernetSize), to.mac,
                          from.mac, wire::kDefaultEtherType);
    wire::Header header{
        .kind = kind, .job_key = from.job_key, .source = from.node, .destination = to.node, .epoch = 5};
    wire::encode_frame(std::span<std::byte, wire::kHeaderSize>(at + wire::kEthernetSize, wire::kHeaderSize),
                       header, {});
    return packet;
}

inline Identity everybody() {
    return {.mac = wire::kBroadcastMac, .job_key = 0, .node = wire::kBroadcast};
}

/// A port that takes so much, and yields what a test puts in.
class Port final {
  public:
    class In final : public runtime::Input {
      public:
        In() : Input("port.rx") {}
        std::deque<rte_mbuf*> packets;

      private:
        std::uint16_t do_receive(rte_mbuf** burst, std::uint16_t room) noexcept override {
            std::uint16_t n = 0;
            for (; n < room && !packets.empty(); ++n) {
                burst[n] = packets.front();
                packets.pop_front();
            }
            return n;
        }
    };
    class Out final : public runtime::Output {
      public:
        Out() : Output("port.tx") {}
        ~Out() override { clear(); }
        std::size_t room = SIZE_MAX;  ///< so many more
        std::vector<rte_mbuf*> packets;
        void clear() {
            rte_pktmbuf_free_bulk(packets.data(), static_cast<unsigned>(packets.size()));
            packets.clear();
        }

      private:
        std::uint16_t do_send(rte_mbuf** burst, std::uint16_t n) noexcept override {
            const auto taken = static_cast<std::uint16_t>(std::min<std::size_t>(n, room));
            packets.insert(packets.end(), burst, burst + taken);
            room -= room == SIZE_MAX ? 0 : taken;
            return taken;
        }
    };
    In in;
    Out out;
};

/// A client's own end.
class ClientEnd {
  public:
    explicit ClientEnd(const Identity& identity, unsigned packets = 4095, unsigned depth = 256)
        : who(identity),
          pool("client" + std::to_string(next_++), packets, runtime::Pool::kDefaultRoom, 0,
               runtime::Pool::Place::kShared),
          memory("rings", sizeof(share::Area)),
          area(*reinterpret_cast<share::Area*>(memory.bytes().data())),
          in("in", area.in, pool, depth),
          out("out", area.out, pool, 1514) {
        in.post();
    }
    ~ClientEnd() {
        take();
        in.reclaim_all();
        out.reclaim_all();
        EXPECT_EQ(pool.in_use(), 0U);
    }

    /// Returns how many of `n` frames found room.
    unsigned send(const Identity& to, unsigned n = 1, std::uint16_t size = 64) {
        return send_as(who, to, n, size);
    }
    unsigned send_as(const Identity& from, const Identity& to, unsigned n = 1, std::uint16_t size = 64) {
        unsigned sent = 0;
        for (; sent < n; ++sent) {
            rte_mbuf* packet = frame(pool, from, to, size).release();
            if (packet == nullptr) break;
            if (out.send(&packet, 1) == 1) continue;
            rte_pktmbuf_free(packet);
            break;
        }
        return sent;
    }
    /// Takes what has come. Returns how many frames that were.
    unsigned take() {
        unsigned taken = 0;
        runtime::Burst burst;
        for (std::uint16_t n; (n = in.receive(burst)) != 0; taken += n)
            rte_pktmbuf_free_bulk(burst.data(), n);
        return taken;
    }

    const Identity who;
    runtime::Pool pool;
    runtime::SharedMemory memory;
    share::Area& area;
    share::ClientInput in;
    share::ClientOutput out;

  private:
    static inline unsigned next_ = 0;
};

/// And the guest that the node makes of it.
struct Client : ClientEnd {
    explicit Client(const Identity& identity, unsigned packets = 4095, unsigned depth = 256)
        : ClientEnd(identity, packets, depth),
          guest(who, runtime::SharedMemory(dup(memory.descriptor()), sizeof(share::Area) * 2),
                runtime::SharedMemory(dup(pool.shared()->descriptor()), std::size_t{1} << 30)) {}
    const share::Guest::Counters& counters() const { return guest.counters(); }

    share::Guest guest;
};

/// 1 when all have sent as much, 1/n when one has sent all.
inline double fairness(const std::vector<std::unique_ptr<Client>>& clients) {
    double sum = 0;
    double squares = 0;
    for (const auto& client : clients) {
        const auto share = static_cast<double>(client->counters().sent.get());
        sum += share;
        squares += share * share;
    }
    return sum * sum / (static_cast<double>(clients.size()) * squares);
}

/// A node with a port.
struct SharedNode {
    SharedNode() : exchange("shared", &port.in, &port.out, pool, 1514) {}
    ~SharedNode() {
        exchange.discard();
        port.out.clear();
        EXPECT_EQ(pool.in_use(), 0U);
    }
    unsigned poll(unsigned rounds = 1) {
        unsigned moved = 0;
        for (; rounds > 0; --rounds)
            moved += exchange.poll({});
        return moved;
    }

    static inline unsigned next = 0;
    runtime::Pool pool{"node" + std::to_string(next++), 2047, runtime::Pool::kDefaultRoom, 0};
    Port port;
    share::Exchange exchange;
};

}  // namespace isoplane::test
