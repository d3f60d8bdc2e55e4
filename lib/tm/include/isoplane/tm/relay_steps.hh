// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// The steps of a Relay, for who is one.
#pragma once

#include <algorithm>
#include <utility>

#include <isoplane/tm/relay_wanted.hh>

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

// What goes out.

template <typename Self>
unsigned Relay<Self>::before_sending(Time now) noexcept {
    now_ = now;
    if (view_ != 0) [[unlikely]]
        note_poll(now);
    const bool none_due = sent_ == complete_ + options_.ahead && !pending_ && !neighbours_.empty();
    if (quiet_ != 0 || (none_due && now < resend_at_)) [[likely]]
        return 0;
    return send_what_waits();
}

/// By itself, so that a poll in which nothing is due is short; and in one piece, as a message waits for it.
template <typename Self>
unsigned Relay<Self>::send_what_waits() noexcept {
    const std::uint64_t before = sent_;
    if (pending_) [[unlikely]]
        transmit_again();
    if (neighbours_.empty() && sent_ != complete_) complete_what_is();
    send_what_is_due();
    auto n = static_cast<unsigned>(sent_ - before);
    if (now_ >= resend_at_ && !pending_ && self().may_resend()) {
        const std::uint64_t resent = counters_.resent.get();
        resend();
        n += static_cast<unsigned>(counters_.resent.get() - resent);
    }
    return n;
}

template <typename Self>
inline void Relay<Self>::send_what_is_due() noexcept {
    if (prepare_what_is_due()) transmit_pending();
}

/// Returns whether there is a token to send.
template <typename Self>
inline bool Relay<Self>::prepare_what_is_due() noexcept {
    const std::uint64_t before = sent_;
    std::uint64_t due = complete_ + options_.ahead;
    if (sent_ == due || quiet_ != 0) return false;
    due = std::min(due, self().may_send_to());
    std::uint8_t level = 0;
    while (sent_ < due) {
        const std::uint64_t number = sent_ + 1;
        if (pending_ && !has_place(number)) [[unlikely]]
            break;
        const bool says_something = number > base_ + options_.ahead && !self().is_silent(number);
        if (says_something) {
            self().on_send(number);
            for (std::size_t i = 0; i < neighbour_count_; ++i)
                fill(number, i);
        }
        level = std::max(level, wanted());
        sent_ = number;
    }
    if (sent_ == before) return false;
    sent_at_ = now_;
    level_ = level;
    prompt_ = level != 0 || (hurried_ && !passes_on());
    counters_.sent.add(neighbour_count_ * (sent_ - before));
    resend_at_ = now_ + patience();
    return true;
}

/// Makes the token `number` for that neighbour, in place of the one that was there, while
/// incoming(_, number - h) still is.
template <typename Self>
inline void Relay<Self>::fill(std::uint64_t number, std::size_t index) noexcept {
    Neighbour& neighbour = neighbours_[index];
    Outgoing& token = neighbour.out[number & mask_];
    token.number = number;
    self().add_own(index, token.entries);
    if (passes_on()) pass_on(number, index, token.entries);
    if (token.entries.empty()) return;
    neighbour.said = number;
    counters_.entries.add(token.entries.size());
}

template <typename Self>
inline void Relay<Self>::pass_on(std::uint64_t number, std::size_t index, Entries& entries) noexcept {
    const NodeId to = neighbour(index);
    for (std::size_t i = 0; i < neighbour_count(); ++i) {
        if (i == index) continue;
        for (const wire::TokenEntry& entry : incoming(i, number - options().ahead)) {
            if (goes_to(entry, neighbour(i), to)) entries.push_back(entry);
        }
    }
    if (entries.size() > most_entries_) [[unlikely]]
        keep_one_of_each(entries);
}

/// Entries that came by another way than they should are forged, or of another topology: they go nowhere.
template <typename Self>
bool Relay<Self>::goes_to(const wire::TokenEntry& entry, NodeId from, NodeId to) const noexcept {
    const NodeId here = options().node;
    if (entry.destination != wire::kEveryHost)
        return entry.destination != here && paths_.next_token_hop(here, entry.destination) == to;
    return entry.source != to && entry.source != here && paths_.next_token_hop(here, entry.source) == from &&
           paths_.next_token_hop(to, entry.source) == here;
}

template <typename Self>
inline void Relay<Self>::transmit_pending() noexcept {
    bool pending = false;
    for (Neighbour& neighbour : neighbours_) {
        while (neighbour.gone.number < sent_ &&
               transmit(neighbour, neighbour.gone, level_, Way::kAlongIfPossible)) {
        }
        pending |= neighbour.gone.number < sent_;
    }
    pending_ = pending;
}

/// What the output did not take.
template <typename Self>
void Relay<Self>::transmit_again() noexcept {
    transmit_pending();
    if (pending_) return;
    sent_at_ = now_;
    resend_at_ = now_ + patience();
}

/// Sends the token after those that have gone, and all up to the next that says something. Returns whether
/// all of it could go; what could not is the next to go.
template <typename Self>
inline bool Relay<Self>::transmit(const Neighbour& neighbour, Gone& gone, std::uint8_t wanted,
                                  Way way) noexcept {
    const std::uint64_t number = gone.number + 1;
    std::uint64_t last = gone.number == base_ ? std::min(sent_, base_ + options_.ahead) : sent_;
    if (neighbour.said > number) {
        const std::uint64_t end = std::exchange(last, number);
        while (last < end && entries_of(neighbour, last + 1).empty())
            ++last;
    }
    const wire::Token token{.number = number,
                            .wanted = wanted,
                            .further = static_cast<std::uint8_t>(last - number),
                            .view = static_cast<std::uint16_t>(view_)};
    if (way == Way::kAlongIfPossible && gone.parts == 0 && goes_along(neighbour, token)) {
        gone.number = last;
        return true;
    }
    return transmit_apart(neighbour, gone, token);
}

template <typename Self>
bool Relay<Self>::transmit_apart(const Neighbour& neighbour, Gone& gone, wire::Token token) noexcept {
    const std::span<const wire::TokenEntry> entries = entries_of(neighbour, token.number);
    const std::size_t capacity = niu_.token_capacity();
    const std::size_t parts = entries.empty() ? 1 : (entries.size() + capacity - 1) / capacity;
    if (parts > kMostParts) [[unlikely]] {
        // Whoever missed some of it would go on without messages that are due: rather nobody does.
        counters_.overfull.add();
        return false;
    }
    token.last_part = static_cast<std::uint16_t>(parts - 1);
    const niu::TokenAddress address{.from = options_.node,
                                    .to = neighbour.node,
                                    .epoch = options_.epoch,
                                    .peer_epoch = static_cast<std::uint16_t>(neighbour.epoch)};
    for (; gone.parts < parts; ++gone.parts) {
        const auto rest = entries.subspan(gone.parts * capacity);
        token.part = static_cast<std::uint16_t>(gone.parts);
        if (!niu_.send_token(address, token, rest.first(std::min(rest.size(), capacity)))) return false;
        counters_.frames.add();
    }
    gone = {token.number + token.further};
    return true;
}

/// In the frame that messages to the neighbour, or to the host that manages it, share and that is about to
/// go. If it is lost, so is the token, which is sent again by itself.
template <typename Self>
inline bool Relay<Self>::goes_along(const Neighbour& neighbour, const wire::Token& token) noexcept {
    const std::span<const wire::TokenEntry> entries = entries_of(neighbour, token.number);
    const NodeId host = self().carrier(neighbour.node);
    const std::size_t size = wire::kTokenOriginSize + wire::token_size(entries.size());
    if (host == wire::kNoNode) return false;
    const niu::SendBuffer room = niu_.open_buffer(host, wire::Protocol::kToken, size);
    if (!room) return false;
    wire::encode_token_origin(room.data.first<wire::kTokenOriginSize>(),
                              {.epoch = options_.epoch, .from = options_.node, .to = neighbour.node});
    wire::encode_token(room.data.subspan(wire::kTokenOriginSize), token, entries);
    niu_.send(room);
    counters_.along.add();
    return true;
}

/// All that is not known to have arrived; to those, too, whose own tokens are here: they may have sent them
/// before they had ours, and may be what those wait for that we wait for.
template <typename Self>
void Relay<Self>::resend() noexcept {
    const std::uint8_t hops = std::max(level_, wanted());
    bool all = true;
    for (Neighbour& neighbour : neighbours_)
        all &= resend_to(neighbour, hops);
    resent_ = true;
    resending_ = !all;
    if (all) rtt_.back_off();
    resend_at_ = all ? now_ + patience() : now_;
}

/// Goes on where the output has taken no more. Returns whether all of it could go.
template <typename Self>
bool Relay<Self>::resend_to(Neighbour& neighbour, std::uint8_t wanted) noexcept {
    const std::uint64_t known = std::max(neighbour.in_to, base_ + options_.ahead) - options_.ahead;
    Gone& again = neighbour.again;
    if (!resending_ || again.number < known) again = {known};
    while (again.number < neighbour.gone.number) {
        if (!transmit(neighbour, again, wanted)) return false;
        counters_.resent.add();
    }
    return true;
}

// What comes in.

template <typename Self>
bool Relay<Self>::on_token(const niu::TokenAddress& address, const wire::TokenView& token) noexcept {
    return take_token(address, token);
}

template <typename Self>
niu::Taken Relay<Self>::take_several(const niu::Unread& unread) noexcept {
    const std::byte* const at = unread.messages.data();
    const std::size_t length = wire::message_layout::Length::get(at);
    if (wire::message_layout::Fragment::get(at) != wire::kWholeMessage ||
        !take_next(unread.source, {at + wire::kMessageHeaderSize, length}))
        return {};
    return {.messages = 1, .bytes = wire::kMessageHeaderSize + length};
}

/// As nearly every token is: the next of a neighbour in its present life, with none of those behind it here,
/// and what it says can be said. False, and nothing is done, where it is not.
template <typename Self>
inline bool Relay<Self>::take_next(NodeId source, std::span<const std::byte> message) noexcept {
    if (!wire::PlainToken::is(message)) return false;
    const wire::PlainToken token(message);
    const NodeId from = token.from();
    const std::size_t index = from < index_.size() ? index_[from] : kNoNeighbour;
    if (index == kNoNeighbour) return false;
    Neighbour& neighbour = neighbours_[index];
    const std::uint64_t number = token.number();
    const std::uint64_t last = number + token.further();
    const bool is_next = number == neighbour.in_to + 1 && last <= sent_ + options_.ahead &&
                         neighbour.in_to != base_ && neighbour.kept_to < number;
    const bool is_its = token.origin() == neighbour.origin && token.view() == takes_ &&
                        (from == source || from >= options_.hosts);
    if (!is_next || !is_its || (token.has_entry() && !may_say(from, token.entry()))) return false;
    now_ = neighbour.heard = niu_.now();
    hurried_ = token.wanted() != 0;
    neighbour.in_to = last;
    counters_.received.add(last + 1 - number);
    if (passes_on()) {
        for (std::uint64_t next = number; next <= last; ++next)
            neighbour.in[next & mask_].fill(next, token.wanted());
        if (token.has_entry()) neighbour.in[number & mask_].entries.push_back(token.entry());
        neighbour.kept_to = last;
        if (hurried_) on_wanted(index, token.wanted());
        complete_what_is();
        return true;
    }
    // Nobody else is waited for or told of it: it need not be kept.
    if (hurried_) self().on_others_want();
    note_news(true);
    if (token.has_entry()) self().on_entry(number, token.entry());
    complete_ = last;
    if constexpr (Self::kAnswersAtOnce) send_what_is_due();
    return true;
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
    if (!message.whole() || message.data.size() <= wire::kTokenOriginSize) [[unlikely]]
        return refuse(message);
    const auto origin = wire::decode_token_origin(message.data.first<wire::kTokenOriginSize>());
    const auto token = wire::TokenView::parse(message.data.subspan(wire::kTokenOriginSize), nodes);
    if (!token || origin.from >= nodes || origin.to != options_.node) [[unlikely]]
        return refuse(message);
    // A host may play a token manager, and speaks for no other host.
    if (origin.from != message.source && paths_.topology().is_host(origin.from)) [[unlikely]]
        return refuse(message);
    // The stream that it came by is between the present lives of the two.
    take_token({.from = origin.from, .to = origin.to, .epoch = origin.epoch, .peer_epoch = 0}, *token);
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
inline void Relay<Self>::complete_what_is() noexcept {
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
