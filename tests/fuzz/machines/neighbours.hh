// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <utility>

#include "ballot_rule.hh"
#include "manager.hh"
#include "time_frames.hh"
#include "token_rule.hh"

namespace isoplane::fuzz {

/// What the others say to a token manager, and a watch on what it says.
class Neighbours final : public TimeFrames {
  public:
    explicit Neighbours(Manager& manager)
        : TimeFrames(manager.source, manager.sink, {kManager, kMostNodes}), manager_(manager) {
        manager.sink.sees = [this](const wire::Decoded& frame) {
            if (frame.header.kind == wire::Kind::kToken)
                tokens_.check(frame.header, frame.payload, standing());
            if (frame.header.kind == wire::Kind::kView)
                ballots_.check(*wire::decode_view(frame.payload, kMostNodes));
        };
    }

    void start_again(Bytes& in) {
        Frames::start_again(static_cast<NodeId>(in.take<std::uint8_t>() % kMostNodes));
    }
    /// A token in many parts, each full.
    template <typename Pass>
    void flood(Bytes& in, Pass&& pass) {
        const std::array who{static_cast<std::byte>(in.take<std::uint8_t>())};
        flood_.assign(kFull, some_entry(kManager, in));
        for (unsigned part = 0; part <= kLastPart; ++part) {
            Bytes rest(who);
            flood_part_ = static_cast<std::uint8_t>(part);
            speak(wire::Kind::kToken, rest);
            if (part % 16 == 0) pass();
        }
        flood_.clear();
    }

  private:
    /// As many parts as a token manager can have entries, and more than a host.
    static constexpr std::uint8_t kLastPart = kHosts * kHosts - 1;
    static constexpr std::size_t kFull = wire::token_capacity(wire::kMinMtu - wire::kHeaderSize);

    Progress progress() const override {
        const tm::TokenManager& tokens = manager_.tokens();
        return {kManager, tokens.view(), tokens.base(), tokens.sent()};
    }
    void add_messages(NodeId, Bytes& in) override { add_bytes(in.take(in.take<std::uint8_t>())); }
    void add_other(wire::Kind kind, NodeId from, Bytes& in) override {
        if (flood_.empty()) return TimeFrames::add_other(kind, from, in);
        Stranger& stranger = begun(from);
        add_token({.number = stranger.token,
                   .part = flood_part_,
                   .last_part = kLastPart,
                   .view = static_cast<std::uint16_t>(stranger.view)},
                  flood_);
        if (flood_part_ == kLastPart) ++stranger.token;
    }
    void is_put(const wire::Header& header, std::span<const std::byte> payload) override {
        const auto token = wire::TokenView::parse(payload, kMostNodes);
        if (header.kind == wire::Kind::kToken && token) tokens_.hear(header, *token);
    }

    TokenRule::Standing standing() const {
        const tm::TokenManager& tokens = manager_.tokens();
        const wire::View* const view = manager_.view();
        TokenRule::Standing now{.ahead = tokens.options().ahead,
                                .epoch = tokens.options().epoch,
                                .view = tokens.view(),
                                .base = view != nullptr ? view->base : 0,
                                .neighbours = tokens.options().neighbours};
        if (view != nullptr)
            std::erase_if(now.neighbours,
                          [view](NodeId node) { return membership::find(*view, node) == nullptr; });
        return now;
    }

    Manager& manager_;
    TokenRule tokens_;
    BallotRule ballots_;
    std::vector<wire::TokenEntry> flood_;  ///< of each part, while there is one
    std::uint8_t flood_part_ = 0;
};

}  // namespace isoplane::fuzz
