// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/wire/isotach.hh>
#include <isoplane/wire/message.hh>
#include <isoplane/wire/token.hh>
#include <isoplane/wire/view.hh>
#include <vector>

#include "frames.hh"
#include "host.hh"

namespace isoplane::fuzz {

/// Frames of the others in logical time, with what is in them.
class Others final : public Frames {
  public:
    explicit Others(Host& host) : Frames(host.source, host.sink), host_(host) {}

  private:
    void add_messages(NodeId from, Bytes& in) override {
        Stranger& stranger = this->stranger(from);
        for (unsigned n = 1 + in.take<std::uint8_t>() % 3; n > 0 && size() < kMostPayload / 2; --n) {
            const auto protocol = static_cast<wire::Protocol>(in.take<std::uint8_t>() % 10);
            const std::size_t front = wire::is_ordered(protocol) ? wire::kIsotachSize : 0;
            const auto body = in.take(in.take<std::uint8_t>());
            wire::encode_message(room(wire::kMessageHeaderSize).first<wire::kMessageHeaderSize>(),
                                 {.protocol = protocol,
                                  .fragment = in.near(wire::kWholeMessage),
                                  .length = in.near(static_cast<std::uint16_t>(front + body.size())),
                                  .size_or_offset = in.near(static_cast<std::uint32_t>(body.size()))});
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

    void add_other(wire::Kind kind, NodeId from, Bytes& in) override {
        if (kind == wire::Kind::kToken) add_token(stranger(from), in);
        if (kind == wire::Kind::kView) add_view(in);
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
};

}  // namespace isoplane::fuzz
