// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <isoplane/wire/token.hh>
#include <isoplane/wire/view.hh>
#include <isoplane/wire/view_parts.hh>
#include <utility>
#include <vector>

#include "frames.hh"

namespace isoplane::fuzz {

/// How far a machine is in logical time.
struct Progress {
    NodeId tokens_to = kHere;  ///< the node whose tokens it takes
    std::uint32_t view = 0;
    std::uint64_t base = 0;   ///< of the view
    std::uint64_t clock = 0;  ///< tokens that it has sent
};

/// Tokens of the others, and what they say of views.
class TimeFrames : public Frames {
  public:
    using Frames::Frames;

  protected:
    virtual Progress progress() const = 0;

    /// Entries for whoever, from whomever, but always such as can be.
    wire::TokenEntry some_entry(NodeId from, Bytes& in) {
        const bool to_all = in.take<std::uint8_t>() % 2 != 0;
        const NodeId nodes = place().nodes;
        wire::TokenEntry entry;
        entry.source = static_cast<NodeId>(in.take<std::uint8_t>() % nodes);
        entry.destination = to_all ? wire::kEveryHost : static_cast<NodeId>(in.take<std::uint8_t>() % nodes);
        if (entry.destination == entry.source)
            entry.destination = static_cast<NodeId>((entry.source + 1) % nodes);
        entry.value =
            to_all ? in.take<std::uint16_t>() & wire::kKnownGroupBits : in.near(stranger(from).count);
        return entry;
    }
    /// What it has to say in the present view begins behind that view's base.
    Stranger& begun(NodeId from) {
        Stranger& stranger = this->stranger(from);
        const Progress progress = this->progress();
        if (std::exchange(stranger.view, progress.view) != progress.view) {
            stranger.token = progress.base + 1;
            stranger.part = stranger.last_part = 0;
        }
        return stranger;
    }
    void add_token(const wire::Token& token, std::span<const wire::TokenEntry> entries) {
        wire::encode_token(room(wire::token_size(entries.size())), token, entries);
    }
    void add_other(wire::Kind kind, NodeId from, Bytes& in) override {
        if (kind == wire::Kind::kToken) add_some_token(from, in);
        if (kind == wire::Kind::kView) add_view(in);
    }

  private:
    /// Some are for token managers that are, or were, elsewhere.
    NodeId destination(wire::Kind kind, std::uint8_t who) const override {
        if (kind != wire::Kind::kToken) return place().here;
        return who < 224 ? progress().tokens_to : static_cast<NodeId>(who % place().nodes);
    }

    void add_some_token(NodeId from, Bytes& in) {
        Stranger& stranger = begun(from);
        std::vector<wire::TokenEntry> entries(in.take<std::uint8_t>() % 6);
        for (wire::TokenEntry& entry : entries)
            entry = some_entry(from, in);
        const wire::Token token{.number = in.near(stranger.token),
                                .wanted = in.take<std::uint8_t>(),
                                .further = in.near(std::uint8_t{0}),
                                .part = in.near(stranger.part),
                                .last_part = in.near(stranger.last_part),
                                .view = in.near(static_cast<std::uint16_t>(stranger.view))};
        if (token.part > token.last_part) return;
        go_on(stranger, token);
        add_token(token, entries);
    }
    /// With the next part of the token, or the next token; what nobody expected changes nothing.
    static void go_on(Stranger& stranger, const wire::Token& token) {
        constexpr std::uint8_t kMostParts = 4;
        if (token.number != stranger.token || token.part != stranger.part) return;
        if (stranger.part == 0 && token.last_part < kMostParts)
            stranger.last_part = static_cast<std::uint8_t>(token.last_part);
        if (stranger.part++ < stranger.last_part) return;
        ++stranger.token;
        stranger.part = stranger.last_part = 0;
    }

    /// Whole, or one of its parts.
    void add_view(Bytes& in) {
        const Progress progress = this->progress();
        const auto which = in.take<std::uint8_t>();
        wire::ViewMessage message{.step = static_cast<wire::ViewStep>(which % 8),
                                  .plays = in.near(wire::kNoNode),
                                  .view = in.near(progress.view),
                                  .ballot = in.near(ballot()),
                                  .held = in.near(progress.clock),
                                  .last = in.near(progress.clock),
                                  .accepted = in.near(std::uint32_t{0})};
        for (unsigned n = in.take<std::uint8_t>() % 3; n > 0; --n)
            message.doubts.push_back(static_cast<NodeId>(in.take<std::uint8_t>() % place().nodes));
        std::ranges::sort(message.doubts);
        message.doubts.erase(std::unique(message.doubts.begin(), message.doubts.end()), message.doubts.end());
        message.next.number = in.near(progress.view + 1);
        message.next.cut = in.near(progress.clock);
        message.next.base = in.near(progress.clock + 4);
        const auto members = in.near(static_cast<std::uint8_t>((1U << place().nodes) - 1));
        for (NodeId node = 0; node < place().nodes; ++node)
            if ((members >> node & 1) != 0)
                message.next.members.push_back({node, in.near(node), in.near(stranger(node).epoch)});
        const std::vector<wire::ViewMessage> parts =
            wire::parts_of(message, which < 128 ? kMostPayload : wire::kViewSize + wire::kMemberSize);
        const wire::ViewMessage& part = parts[which / 8 % parts.size()];
        wire::encode_view(room(wire::view_size(part.doubts.size(), part.next.members.size())), part);
    }
};

}  // namespace isoplane::fuzz
