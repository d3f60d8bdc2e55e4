// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/wire/hello.hh>
#include <isoplane/wire/isotach.hh>
#include <isoplane/wire/message.hh>
#include <isoplane/wire/token.hh>
#include <isoplane/wire/view.hh>
#include <vector>

#include "host.hh"

namespace isoplane::fuzz {

constexpr std::size_t kMostPayload = 1400;

/// Frames of the others, with what is in them.
class Others {
  public:
    explicit Others(Host& host) : host_(host) {}

    void speak(wire::Kind kind, Bytes& in) {
        const auto from = static_cast<NodeId>(1 + in.take<std::uint8_t>() % (kNodes - 1));
        Stranger& stranger = host_.sink.others[from];
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
                add_messages(from, stranger, in);
                break;
            case wire::Kind::kHello:
            case wire::Kind::kHelloAck:
                add_hello(in);
                break;
            case wire::Kind::kToken:
                add_token(stranger, in);
                break;
            case wire::Kind::kView:
                add_view(in);
                break;
            default:
                break;
        }
        header.ack = in.near(stranger.received);
        header.selective = in.take<std::uint8_t>();
        header.credit = stranger.credit = in.near(stranger.credit + 4);
        put(header);
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
        host_.source.waiting.push_back(packet);
    }

    std::span<std::byte> room(std::size_t size) {
        const std::size_t at = payload_.size();
        payload_.resize(at + size);
        return std::span(payload_).subspan(at);
    }
    void add_bytes(std::span<const std::byte> bytes) {
        payload_.insert(payload_.end(), bytes.begin(), bytes.end());
    }

    void add_messages(NodeId from, Stranger& stranger, Bytes& in) {
        for (unsigned n = 1 + in.take<std::uint8_t>() % 3; n > 0 && payload_.size() < kMostPayload / 2; --n) {
            const auto protocol = static_cast<wire::Protocol>(in.take<std::uint8_t>() % 10);
            const std::size_t front = wire::is_ordered(protocol) ? wire::kIsotachSize : 0;
            const auto body = in.take(in.take<std::uint8_t>());
            wire::encode_message(room(wire::kMessageHeaderSize).first<wire::kMessageHeaderSize>(),
                                 {.protocol = protocol,
                                  .fragment = in.near(wire::kWholeMessage),
                                  .length = in.near(static_cast<std::uint16_t>(front + body.size())),
                                  .size_or_offset = in.near(std::uint32_t{0})});
            if (front != 0)
                wire::encode_isotach(room(front).first<wire::kIsotachSize>(),
                                     {.pulse = in.near(host_.siu().clock() + 2),
                                      .host = in.near(from),
                                      .flags = in.near(std::uint8_t{0}),
                                      .operation = static_cast<wire::Operation>(in.near(std::uint8_t{0})),
                                      .rank = in.near(std::uint32_t{0}),
                                      .isochron = in.near(stranger.isochron++),
                                      .count = in.near(++stranger.count)});
            add_bytes(body);
        }
    }

    void add_hello(Bytes& in) {
        const std::size_t size = wire::encode_hello(room(wire::kHelloSize + wire::kMaxNameSize),
                                                    {.roles = in.take<std::uint8_t>(),
                                                     .features = in.take<std::uint8_t>(),
                                                     .mtu = in.near(std::uint16_t{1500}),
                                                     .credit = in.near(std::uint32_t{16}),
                                                     .name = "b"});
        payload_.resize(size);
    }

    void add_token(Stranger& stranger, Bytes& in) {
        std::vector<wire::TokenEntry> entries(in.take<std::uint8_t>() % 6);
        for (wire::TokenEntry& entry : entries) {
            const bool to_all = in.take<std::uint8_t>() % 2 != 0;
            entry.source = static_cast<NodeId>(in.take<std::uint8_t>() % kNodes);
            entry.destination =
                to_all ? wire::kEveryHost : static_cast<NodeId>(in.take<std::uint8_t>() % kNodes);
            entry.value = to_all ? in.take<std::uint16_t>() & wire::kKnownGroupBits : in.near(stranger.count);
        }
        const wire::Token token{.number = in.near(stranger.token++),
                                .wanted = in.take<std::uint8_t>(),
                                .further = in.near(std::uint8_t{0}),
                                .part = in.near(std::uint8_t{0}),
                                .last_part = in.near(std::uint8_t{0}),
                                .view = in.near(static_cast<std::uint16_t>(host_.siu().view()))};
        if (token.part > token.last_part) return;
        wire::encode_token(room(wire::token_size(entries.size())), token, entries);
    }

    void add_view(Bytes& in) {
        wire::ViewMessage message{.step = static_cast<wire::ViewStep>(in.take<std::uint8_t>() % 8),
                                  .plays = in.near(wire::kNoNode),
                                  .view = in.near(host_.siu().view()),
                                  .ballot = in.near(std::uint32_t{4}),
                                  .held = in.near(host_.siu().clock()),
                                  .last = in.near(host_.siu().clock()),
                                  .accepted = in.near(std::uint32_t{0})};
        for (unsigned n = in.take<std::uint8_t>() % 3; n > 0; --n)
            message.doubts.push_back(static_cast<NodeId>(in.take<std::uint8_t>() % kNodes));
        message.next.number = in.near(host_.siu().view() + 1);
        message.next.cut = in.near(host_.siu().clock());
        message.next.base = in.near(host_.siu().clock() + 4);
        const auto members = in.near(std::uint8_t{0xf});
        for (NodeId node = 0; node < kNodes; ++node)
            if ((members >> node & 1) != 0)
                message.next.members.push_back({node, in.near(node), in.near(host_.sink.others[node].epoch)});
        wire::encode_view(room(wire::view_size(message.doubts.size(), message.next.members.size())), message);
    }

    Host& host_;
    std::vector<std::byte> payload_;
};

}  // namespace isoplane::fuzz
