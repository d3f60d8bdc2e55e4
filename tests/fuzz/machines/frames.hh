// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/wire/hello.hh>
#include <isoplane/wire/message.hh>
#include <vector>

#include "strangers.hh"

namespace isoplane::fuzz {

constexpr std::size_t kMostPayload = 1400;

/// Frames of strangers, whole but for what is in them.
class Frames {
  public:
    Frames(Source& source, Sink& sink, std::uint16_t mtu = 1500) : source_(source), sink_(sink), mtu_(mtu) {}
    virtual ~Frames() = default;

    /// The next frame of that kind, from whichever node the input says.
    void speak(wire::Kind kind, Bytes& in) {
        const auto from = static_cast<NodeId>(1 + in.take<std::uint8_t>() % (kNodes - 1));
        Stranger& stranger = sink_.others[from];
        payload_.clear();
        wire::Header header{.kind = kind,
                            .job_key = kKey,
                            .source = from,
                            .destination = kHere,
                            .epoch = in.near(stranger.epoch),
                            .peer_epoch = in.near(std::uint16_t{1})};
        switch (kind) {
            case wire::Kind::kData:
                header.sequence = in.near(stranger.sequence);
                stranger.sequence += header.sequence == stranger.sequence ? 1 : 0;
                add_messages(from, in);
                break;
            case wire::Kind::kHello:
            case wire::Kind::kHelloAck:
                add_hello(in);
                break;
            default:
                add_other(kind, from, in);
                break;
        }
        header.ack = in.near(stranger.received);
        header.selective = in.take<std::uint8_t>();
        header.credit = stranger.credit = in.near(stranger.credit + 4);
        put(header);
    }

  protected:
    virtual void add_messages(NodeId from, Bytes& in) = 0;
    /// The payload of a frame of a kind that not every host hears.
    virtual void add_other(wire::Kind, NodeId, Bytes&) {}

    Stranger& stranger(NodeId node) { return sink_.others[node]; }
    std::size_t size() const { return payload_.size(); }
    std::span<std::byte> room(std::size_t size) {
        const std::size_t at = payload_.size();
        payload_.resize(at + size);
        return std::span(payload_).subspan(at);
    }
    void add_bytes(std::span<const std::byte> bytes) {
        payload_.insert(payload_.end(), bytes.begin(), bytes.end());
    }

  private:
    void put(wire::Header header) {
        rte_mbuf* packet = pool().packet().release();
        if (packet == nullptr) return;
        const std::size_t size = wire::kEthernetSize + wire::kHeaderSize + payload_.size();
        auto* at = reinterpret_cast<std::byte*>(rte_pktmbuf_append(packet, static_cast<std::uint16_t>(size)));
        const wire::MacAddress mac{2, 0, 0, 0, 0, static_cast<std::uint8_t>(header.source)};
        wire::encode_ethernet(std::span<std::byte, wire::kEthernetSize>(at, wire::kEthernetSize),
                              {2, 0, 0, 0, 0, 0}, mac, wire::kDefaultEtherType);
        at += wire::kEthernetSize;
        std::copy(payload_.begin(), payload_.end(), at + wire::kHeaderSize);
        wire::encode_frame(std::span<std::byte, wire::kHeaderSize>(at, wire::kHeaderSize), header, payload_);
        source_.waiting.push_back(packet);
    }

    void add_hello(Bytes& in) {
        const std::size_t size = wire::encode_hello(room(wire::kHelloSize + wire::kMaxNameSize),
                                                    {.roles = in.take<std::uint8_t>(),
                                                     .features = in.take<std::uint8_t>(),
                                                     .mtu = in.near(mtu_),
                                                     .credit = in.near(std::uint32_t{16}),
                                                     .name = "b"});
        payload_.resize(size);
    }

    Source& source_;
    Sink& sink_;
    std::uint16_t mtu_;  ///< of their links
    std::vector<std::byte> payload_;
};

}  // namespace isoplane::fuzz
