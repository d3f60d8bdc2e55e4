// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// The steps of a Relay by which tokens go out.
#pragma once

#include <algorithm>
#include <utility>

#include <isoplane/tm/relay_wanted.hh>

namespace isoplane::tm {

template <typename Self>
unsigned Relay<Self>::before_sending(Time now) noexcept {
    now_ = now;
    if (view_ != 0) [[unlikely]]
        note_poll(now);
    const bool none_due = sent_ == complete_ + options_.ahead && !pending_ && !neighbours_.empty();
    if (quiet_ != 0 || (none_due && now < resend_at_)) [[likely]]
        return 0;
    const unsigned behind = send_behind_message();
    return behind != 0 ? behind : send_what_waits();
}

/// All else that is due. By itself, so that neither a poll in which nothing is nor the way of most tokens has
/// it among them.
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

/// As nearly all tokens of a host go while there are messages: to its one neighbour, right behind those that
/// are all it has to announce. Returns how many those are: none, and nothing is done, where it is not so.
template <typename Self>
unsigned Relay<Self>::send_behind_message() noexcept {
    if (neighbour_count_ != 1 || pending_ || sent_ == complete_ + options_.ahead) return 0;
    Neighbour& neighbour = neighbours_.front();
    const NodeId host = self().carrier(neighbour.node);
    const std::uint64_t number = sent_ + 1;
    const std::uint64_t last = std::min(complete_ + options_.ahead, self().may_announce_to(host));
    if (number > last || number <= base_ + options_.ahead) return 0;
    const wire::Token token{
        .number = number, .wanted = options_.reach, .further = static_cast<std::uint8_t>(last - number)};
    if (!goes_in_short(neighbour, host, token)) return 0;
    Outgoing& says = neighbour.out[number & mask_];
    says.number = neighbour.said = number;
    self().announce_to(host, says.entries);
    counters_.entries.add();
    const std::uint64_t before = std::exchange(sent_, last);
    neighbour.gone.number = last;
    note_sent(before, token.wanted);
    return static_cast<unsigned>(last - before);
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
    note_sent(before, level);
    return true;
}

/// All after `before`, and that they were wanted for so many hops.
template <typename Self>
inline void Relay<Self>::note_sent(std::uint64_t before, std::uint8_t level) noexcept {
    sent_at_ = now_;
    level_ = level;
    prompt_ = level != 0 || (hurried_ && !passes_on());
    counters_.sent.add(neighbour_count_ * (sent_ - before));
    resend_at_ = now_ + patience();
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
inline bool Relay<Self>::transmit(Neighbour& neighbour, Gone& gone, std::uint8_t wanted, Way way) noexcept {
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
inline bool Relay<Self>::goes_along(Neighbour& neighbour, const wire::Token& token) noexcept {
    const std::span<const wire::TokenEntry> entries = entries_of(neighbour, token.number);
    const NodeId host = self().carrier(neighbour.node);
    if (host == wire::kNoNode) return false;
    if (only_counts(host, entries) && goes_in_short(neighbour, host, token)) return true;
    const std::size_t size = wire::kTokenOriginSize + wire::token_size(entries.size());
    std::byte* const at = niu_.add_to_open(host, wire::Protocol::kToken, size);
    if (at == nullptr) return false;
    neighbour.whole_along = token.number;
    neighbour.whole_epoch = niu_.peer(host).epoch;
    wire::encode_token_origin(std::span<std::byte, wire::kTokenOriginSize>(at, wire::kTokenOriginSize),
                              {.epoch = options_.epoch, .from = options_.node, .to = neighbour.node});
    wire::encode_token({at + wire::kTokenOriginSize, size - wire::kTokenOriginSize}, token, entries);
    counters_.along.add();
    return true;
}

/// All that it says is how many messages have gone to that host.
template <typename Self>
inline bool Relay<Self>::only_counts(NodeId host, std::span<const wire::TokenEntry> entries) const noexcept {
    if (entries.size() != 1 || pending_) return false;
    const wire::TokenEntry& only = entries.front();
    return only.destination == host && only.source == niu_.options().node;
}

/// Right behind the message to that host that says of itself all that the token would. False, and nothing is
/// done, where there is none, or the host does not know whose token it would be.
template <typename Self>
inline bool Relay<Self>::goes_in_short(const Neighbour& neighbour, NodeId host,
                                       const wire::Token& token) noexcept {
    niu::Peer* const peer = niu_.in_run(host, wire::kShortTokenSize);
    if (peer == nullptr || neighbour.whole_epoch != peer->epoch ||
        token.number - neighbour.whole_along >= wire::kWholeEvery)
        return false;
    wire::encode_short_token(niu_.add(*peer, wire::Protocol::kToken, wire::kShortTokenSize), token);
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

}  // namespace isoplane::tm
