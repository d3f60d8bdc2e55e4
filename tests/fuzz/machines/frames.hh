// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstring>
#include <isoplane/wire/hello.hh>
#include <isoplane/wire/message.hh>
#include <vector>

#include "strangers.hh"

namespace isoplane::fuzz {

constexpr std::size_t kMostPayload = 1400;

/// Which node the machine is, of how many.
struct Place {
    NodeId here = kHere;
    NodeId nodes = kNodes;
};

/// Frames of strangers, whole but for what is in them.
class Frames {
  public:
    Frames(Source& source, Sink& sink, Place place = {}, std::uint16_t mtu = 1500)
        : source_(source), sink_(sink), place_(place), mtu_(mtu) {}
    virtual ~Frames() = default;

    /// The next frame of that kind, from whichever node the input says.
    void speak(wire::Kind kind, Bytes& in) {
        const auto who = in.take<std::uint8_t>();
        const auto from = static_cast<NodeId>((place_.here + 1 + who % (place_.nodes - 1)) % place_.nodes);
        Stranger& stranger = sink_.others[from];
        payload_.clear();
        wire::Header header{.kind = kind,
                            .job_key = kKey,
                            .source = from,
                            .destination = destination(kind, who),
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
        put(header, in);
        last_ = header;
    }
    /// The same once more; in a stream, as the next.
    void speak_again() {
        if (last_.kind == wire::Kind::kData) last_.sequence = stranger(last_.source).sequence++;
        Bytes none({});
        put(last_, none);
    }

    /// Its next frames are of another life.
    void start_again(NodeId node) { stranger(node) = {.epoch = stranger(node).epoch + 1}; }
    /// What is no frame, but says who has which address.
    void resolve(Bytes& in) {
        std::array<std::byte, wire::kArpPacketSize> packet;
        wire::encode_arp(packet, wire::kBroadcastMac, some_arp(place_.here, in));
        packet[in.take<std::uint8_t>() % packet.size()] ^= std::byte{in.near(std::uint8_t{0})};
        if (std::byte* const at = begin_packet(packet.size())) std::memcpy(at, packet.data(), packet.size());
    }

  protected:
    virtual void add_messages(NodeId from, Bytes& in) = 0;
    /// The payload of a frame of a kind that not every machine hears.
    virtual void add_other(wire::Kind, NodeId, Bytes&) {}
    virtual NodeId destination(wire::Kind, std::uint8_t) const { return place_.here; }

    const Place& place() const { return place_; }
    Stranger& stranger(NodeId node) { return sink_.others[node]; }
    std::uint32_t ballot() const { return sink_.ballot; }
    std::size_t size() const { return payload_.size(); }
    std::span<std::byte> room(std::size_t size) {
        const std::size_t at = payload_.size();
        payload_.resize(at + size);
        return std::span(payload_).subspan(at);
    }
    void add_bytes(std::span<const std::byte> bytes) {
        payload_.insert(payload_.end(), bytes.begin(), bytes.end());
    }

    /// A frame that is all there.
    virtual void is_put(const wire::Header&, std::span<const std::byte> /*payload*/) {}

  private:
    /// nullptr when there is no room for it.
    std::byte* begin_packet(std::size_t size) {
        rte_mbuf* const packet = pool().packet().release();
        if (packet == nullptr) return nullptr;
        source_.waiting.push_back(packet);
        return reinterpret_cast<std::byte*>(rte_pktmbuf_append(packet, static_cast<std::uint16_t>(size)));
    }

    void put(wire::Header header, Bytes& in) {
        const std::size_t around = wire::envelope_size(sink_.transport);
        std::byte* at = begin_packet(around + wire::kHeaderSize + payload_.size());
        if (at == nullptr) return;
        surround(at, header, in);
        at += around;
        std::copy(payload_.begin(), payload_.end(), at + wire::kHeaderSize);
        wire::encode_frame(std::span<std::byte, wire::kHeaderSize>(at, wire::kHeaderSize), header, payload_);
        is_put(header, payload_);
    }

    void surround(std::byte* at, const wire::Header& header, Bytes& in) {
        const wire::MacAddress mac{2, 0, 0, 0, 0, static_cast<std::uint8_t>(header.source)};
        if (sink_.transport == wire::Transport::kEthernet)
            return wire::encode_ethernet(std::span<std::byte, wire::kEthernetSize>(at, wire::kEthernetSize),
                                         {2, 0, 0, 0, 0, 0}, mac, wire::kDefaultEtherType);
        wire::encode_udp(std::span<std::byte, wire::kUdpEnvelopeSize>(at, wire::kUdpEnvelopeSize),
                         {2, 0, 0, 0, 0, 0}, mac,
                         {.source_address = in.near(ip_of(header.source)),
                          .destination_address = ip_of(header.destination),
                          .source_port = wire::udp_source_port(header.source, header.destination),
                          .destination_port = wire::kDefaultUdpPort},
                         wire::kHeaderSize + payload_.size());
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
    Place place_;
    std::uint16_t mtu_;  ///< of their links
    wire::Header last_;
    std::vector<std::byte> payload_;
};

}  // namespace isoplane::fuzz
