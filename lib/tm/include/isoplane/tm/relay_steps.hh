// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// The steps of a Relay, for who is one.
#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include <isoplane/tm/relay_out.hh>

namespace isoplane::tm {

inline ExchangeOptions with_reach(ExchangeOptions options, const topology::Paths& paths) {
    options.reach = static_cast<std::uint8_t>(std::min(paths.greatest_token_hops(), std::uint32_t{255}));
    options.hosts = static_cast<NodeId>(paths.topology().host_count());
    return options;
}

template <typename Self>
Relay<Self>::Relay(niu::Niu& niu, const topology::Paths& paths, ExchangeOptions options)
    : TokenExchange(niu, with_reach(std::move(options), paths)),
      paths_(paths),
      woken_through_(std::size_t{this->options().reach} + 1) {}

template <typename Self>
bool Relay<Self>::on_token(const niu::TokenAddress& address, const wire::TokenView& token) noexcept {
    return take_token(address, token);
}

template <typename Self>
unsigned Relay<Self>::take_in_place() noexcept {
    const niu::Unread unread = niu_.unread();
    const std::byte* const at = unread.messages.data();
    const std::size_t length = wire::message_layout::Length::get(at);
    const std::span<const std::byte> message(at + wire::kMessageHeaderSize, length);
    if (wire::message_layout::Fragment::get(at) != wire::kWholeMessage) return 0;
    const bool taken = length == wire::kShortTokenSize
                           ? take_short(unread.source, message.first<wire::kShortTokenSize>())
                           : take_next(unread.source, message);
    if (!taken) return 0;
    niu_.take({.messages = 1, .bytes = wire::kMessageHeaderSize + length});
    return 1;
}

/// As nearly every token is: the next of a neighbour in its present life, with none of those behind it here,
/// and what it says can be said. False, and nothing is done, where it is not.
template <typename Self>
inline bool Relay<Self>::take_next(NodeId source, std::span<const std::byte> message) noexcept {
    if (!wire::PlainToken::is(message)) return false;
    const wire::PlainToken token(message);
    const NodeId from = token.from();
    const std::size_t index = index_of(from);
    if (index == kNoNeighbour) return false;
    const Neighbour& neighbour = neighbours_[index];
    const wire::Token its{.number = token.number(), .wanted = token.wanted(), .further = token.further()};
    const bool is_its = token.origin() == neighbour.origin && token.view() == takes_ &&
                        (from == source || from >= options_.hosts);
    if (!is_its || !is_next(neighbour, its)) return false;
    const wire::TokenEntry entry = token.has_entry() ? token.entry() : wire::TokenEntry{};
    if (token.has_entry() && !may_say(from, entry)) return false;
    along_with(source) = {from, token.view(), neighbour.epoch, its.number};
    pass_next(source, index, its, token.has_entry() ? &entry : nullptr);
    return true;
}

template <typename Self>
inline bool Relay<Self>::take_short(NodeId source,
                                    std::span<const std::byte, wire::kShortTokenSize> message) noexcept {
    const Along& along = along_with(source);
    const std::size_t index = index_of(along.from);
    if (index == kNoNeighbour) return false;
    const Neighbour& neighbour = neighbours_[index];
    const wire::Token token = wire::decode_short_token(message, along.number, along.view);
    if (along.view != takes_ || along.epoch != neighbour.epoch || !is_next(neighbour, token)) return false;
    pass_next(source, index, token, nullptr);
    return true;
}

/// Of a neighbour in its present life, with none of those behind it here.
template <typename Self>
inline bool Relay<Self>::is_next(const Neighbour& neighbour, const wire::Token& token) const noexcept {
    return token.number == neighbour.in_to + 1 && token.number + token.further <= sent_ + options_.ahead &&
           neighbour.in_to != base_ && neighbour.kept_to < token.number;
}

/// With the one thing that it says, if that is not said before it.
template <typename Self>
inline void Relay<Self>::pass_next(NodeId source, std::size_t index, const wire::Token& token,
                                   const wire::TokenEntry* entry) noexcept {
    Neighbour& neighbour = neighbours_[index];
    const std::uint64_t last = token.number + token.further;
    now_ = neighbour.heard = niu_.now();
    hurried_ = token.wanted != 0;
    neighbour.in_to = last;
    counters_.received.add(token.further + std::uint64_t{1});
    if (passes_on()) {
        for (std::uint64_t next = token.number; next <= last; ++next)
            neighbour.in[next & mask_].fill(next, token.wanted);
        if (entry != nullptr) neighbour.in[token.number & mask_].entries.push_back(*entry);
        neighbour.kept_to = last;
        if (hurried_) on_wanted(index, token.wanted);
        complete_what_is();
        return;
    }
    // Nobody else is waited for or told of it: it need not be kept.
    if (hurried_) self().on_others_want();
    note_news(true);
    if (entry != nullptr) self().on_entry_behind(source, token.number, *entry);
    complete_ = last;
    if constexpr (Self::kAnswersAtOnce) send_what_is_due();
}

/// In a token that says nothing else.
template <typename Self>
inline bool Relay<Self>::may_say(NodeId from, const wire::TokenEntry& entry) const noexcept {
    return wire::TokenView::is_entry(entry, options_.hosts) &&
           (entry.source == from || from >= options_.hosts);
}

template <typename Self>
void Relay<Self>::take(const niu::Received& message) noexcept {
    const auto nodes = static_cast<std::uint16_t>(niu_.options().nodes.size());
    if (message.whole() && message.data.size() == wire::kShortTokenSize) return take_short_with_care(message);
    if (!message.whole() || message.data.size() <= wire::kTokenOriginSize) [[unlikely]]
        return refuse(message);
    const auto origin = wire::decode_token_origin(message.data.first<wire::kTokenOriginSize>());
    const auto token = wire::TokenView::parse(message.data.subspan(wire::kTokenOriginSize), nodes);
    if (!token || origin.from >= nodes || origin.to != options_.node) [[unlikely]]
        return refuse(message);
    // A host may play a token manager, and speaks for no other host.
    if (origin.from != message.source && paths_.topology().is_host(origin.from)) [[unlikely]]
        return refuse(message);
    along_with(message.source) = {origin.from, token->view(), origin.epoch, token->token().number};
    // The stream that it came by is between the present lives of the two.
    take_token({.from = origin.from, .to = origin.to, .epoch = origin.epoch, .peer_epoch = 0}, *token);
    niu_.release(message);
}

template <typename Self>
void Relay<Self>::take_short_with_care(const niu::Received& message) noexcept {
    const Along& along = along_with(message.source);
    const std::size_t index = index_of(along.from);
    if (index == kNoNeighbour) {
        counters_.unknown.add();
    } else {
        std::array<std::byte, wire::kTokenSize> whole;
        wire::encode_token(
            whole,
            wire::decode_short_token(message.data.first<wire::kShortTokenSize>(), along.number, along.view),
            {});
        take_token({.from = along.from, .to = options_.node, .epoch = along.epoch, .peer_epoch = 0},
                   *wire::TokenView::parse(whole, 0));
    }
    niu_.release(message);
}

template <typename Self>
void Relay<Self>::refuse(const niu::Received& message) noexcept {
    counters_.malformed.add();
    niu_.release(message);
}

template <typename Self>
inline bool Relay<Self>::take_token(const niu::TokenAddress& address, wire::TokenView view) noexcept {
    now_ = niu_.now();
    const std::size_t index = index_[address.from];
    if (index == kNoNeighbour) [[unlikely]] {
        counters_.unknown.add();
        return false;
    }
    Neighbour& neighbour = neighbours_[index];
    if (view.view() != takes_) [[unlikely]] {
        counters_.stale_view.add();
        return false;
    }
    const Time heard = std::exchange(neighbour.heard, now_);
    if (!belongs(neighbour, address)) [[unlikely]] {
        counters_.stale_epoch.add();
        return false;
    }
    const wire::Token token = view.token();
    if (neighbour.in_to == base_ && token.number == base_ + 1 && is_unlike(neighbour, token)) [[unlikely]] {
        neighbour.heard = heard;  // where time survives, it is given up
        return false;
    }
    const bool news = keep(neighbour, token, view);
    const std::uint8_t hops = token.wanted;
    hurried_ = hops != 0;
    if (hurried_) {
        // Perhaps it says so because it lacks a token that was sent when nobody was in a hurry.
        if (!news) resend_at_ = std::min(resend_at_, now_ + patience());
        on_wanted(index, hops);
    }
    if (news) complete_what_is();
    return true;
}

/// Whether the token is from the neighbour's present life to ours.
template <typename Self>
inline bool Relay<Self>::belongs(Neighbour& neighbour, const niu::TokenAddress& address) noexcept {
    if (address.peer_epoch != 0 && address.peer_epoch != static_cast<std::uint16_t>(options_.epoch))
        return false;
    if (address.epoch == neighbour.epoch) [[likely]]
        return true;
    if (neighbour.epoch != 0 && static_cast<std::int32_t>(address.epoch - neighbour.epoch) < 0) return false;
    if (neighbour.in_to != base_ && options_.in_views) return false;
    if (neighbour.in_to != base_) {
        if (!self().on_restart(neighbour.node)) {
            broken_ = true;
            return false;
        }
        begin_anew();
    }
    neighbour.forget_theirs();
    neighbour.epoch = address.epoch;
    neighbour.origin = wire::word_of({.epoch = address.epoch, .from = neighbour.node, .to = options_.node});
    return true;
}

template <typename Self>
void Relay<Self>::complete_what_is() noexcept {
    std::uint64_t least = neighbours_.empty() ? sent_ : UINT64_MAX;
    for (const Neighbour& neighbour : neighbours_)
        least = std::min(least, neighbour.in_to);
    note_news(least > complete_);
    bool due = false;
    while (complete_ < least) {
        ++complete_;
        for (std::size_t i = 0; i < neighbour_count_; ++i)
            for (const wire::TokenEntry& entry : incoming(i, complete_))
                self().on_entry(complete_, entry);
        // A token that goes takes along what came in the one h before it; so it is filled before that is
        // reused.
        if constexpr (Self::kAnswersAtOnce) due |= prepare_what_is_due();
    }
    if (due) transmit_pending();
}

/// A neighbour's tokens have come further; all neighbours', or not.
template <typename Self>
inline void Relay<Self>::note_news(bool completes) noexcept {
    moved_at_ = now_;
    rtt_.answered();
    if (completes) {
        if (!resent_ && prompt_) rtt_.sample(now_ - sent_at_);
        resent_ = false;
    }
    resend_at_ = now_ + patience();
    resending_ = false;
}

}  // namespace isoplane::tm
