// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <bit>
#include <isoplane/tm/token_exchange.hh>
#include <stdexcept>
#include <string>
#include <utility>

namespace isoplane::tm {

namespace {

constexpr NodeId kNoNeighbour = UINT16_MAX;
constexpr std::size_t kMostParts = 65536;

ExchangeOptions checked(ExchangeOptions options) {
    if (options.ahead == 0 || options.ahead > 64) {
        throw std::invalid_argument(std::to_string(options.ahead) + " tokens ahead cannot be; give 1 to 64");
    }
    return options;
}

/// One for each two nodes, and one of each node for all. Where nodes are few, it is not counted so exactly.
constexpr std::size_t most_entries(std::size_t nodes) {
    return std::max<std::size_t>(nodes * nodes, 65536);
}

}  // namespace

TokenExchange::TokenExchange(niu::Niu& niu, ExchangeOptions options)
    : niu_(niu),
      options_(checked(std::move(options))),
      mask_(std::bit_ceil(std::size_t{2} * options_.ahead) - 1),
      most_entries_(most_entries(niu.options().nodes.size())),
      index_(niu.options().nodes.size(), kNoNeighbour),
      takes_(options_.in_views ? kNone : 0),
      quiet_(options_.in_views ? kFrozen : 0),
      rtt_(options_.timeout) {
    for (const NodeId node : options_.neighbours)
        add_neighbour(node);
    niu_.attach(options_.node, this);
}

TokenExchange::~TokenExchange() {
    niu_.attach(options_.node, nullptr);
}

void TokenExchange::add_neighbour(NodeId node) {
    index_[node] = static_cast<NodeId>(neighbours_.size());
    neighbours_.push_back(
        {.node = node, .in = std::vector<Incoming>(mask_ + 1), .out = std::vector<Entries>(mask_ + 1)});
}

void TokenExchange::forget_neighbours() noexcept {
    neighbours_.clear();
    std::fill(index_.begin(), index_.end(), kNoNeighbour);
}

void TokenExchange::begin_at(std::uint32_t view, std::uint64_t base) noexcept {
    view_ = view;
    takes_ = static_cast<std::uint16_t>(view);
    base_ = sent_ = complete_ = base;
    level_ = 0;
    pending_ = resending_ = false;
    set(kFrozen, false);
    rtt_ = niu::RttEstimator(options_.timeout);
    resend_at_ = Time::max();
    for (Neighbour& neighbour : neighbours_) {
        neighbour.in_to = base;
        neighbour.gone = {base};
        neighbour.heard = now_;
    }
}

void TokenExchange::freeze() noexcept {
    takes_ = kNone;
    base_ = complete_;  // there is no time to send at any more
    set(kFrozen, true);
    pending_ = false;
}

/// That nobody was heard says nothing while this node itself did not run.
void TokenExchange::note_poll(Time now) noexcept {
    if (const Duration missed = now - polled_at_; missed > stopped_) {
        for (Neighbour& neighbour : neighbours_)
            neighbour.heard = std::min(now, neighbour.heard + missed);
    }
    polled_at_ = now;
}

unsigned TokenExchange::before_sending(Time now) noexcept {
    now_ = now;
    if (view_ != 0) [[unlikely]]
        note_poll(now);
    const bool none_due = sent_ == complete_ + options_.ahead && !pending_ && !neighbours_.empty();
    if (quiet_ != 0 || (none_due && now < resend_at_)) [[likely]]
        return 0;
    const std::uint64_t before = counters_.sent.get() + counters_.resent.get();
    if (pending_) transmit_pending();
    if (neighbours_.empty() && sent_ != complete_) complete_what_is();
    send_what_is_due();
    if (now >= resend_at_ && !pending_ && may_resend()) resend();
    return static_cast<unsigned>(counters_.sent.get() + counters_.resent.get() - before);
}

bool TokenExchange::on_token(const niu::TokenAddress& address, const wire::TokenView& view) noexcept {
    now_ = niu_.now();
    const std::size_t index = index_[address.from];
    if (index == kNoNeighbour) {
        counters_.unknown.add();
        return false;
    }
    Neighbour& neighbour = neighbours_[index];
    if (view.view() != takes_) [[unlikely]] {
        counters_.stale_view.add();
        return false;
    }
    neighbour.heard = now_;
    if (!belongs(neighbour, address)) {
        counters_.stale_epoch.add();
        return false;
    }
    const wire::Token token = view.token();
    const bool news = keep(neighbour, token, view);
    const std::uint8_t hops = token.wanted;
    hurried_ = hops != 0;
    if (hurried_) {
        // Perhaps it says so because it lacks a token that was sent when nobody was in a hurry.
        resend_at_ = std::min(resend_at_, now_ + patience());
        on_wanted(index, hops);
    }
    if (news) complete_what_is();
    return true;
}

void TokenExchange::take(const niu::Received& message) noexcept {
    const auto nodes = static_cast<std::uint16_t>(niu_.options().nodes.size());
    std::optional<wire::TokenView> token;
    wire::TokenOrigin origin;
    if (message.whole() && message.data.size() > wire::kTokenOriginSize) {
        origin = wire::decode_token_origin(message.data.first<wire::kTokenOriginSize>());
        token = wire::TokenView::parse(message.data.subspan(wire::kTokenOriginSize), nodes);
    }
    if (!token || origin.from >= nodes || origin.to != options_.node) [[unlikely]] {
        counters_.malformed.add();
    } else {
        // The stream that it came by is between the present lives of the two.
        on_token({.from = origin.from, .to = origin.to, .epoch = origin.epoch, .peer_epoch = 0}, *token);
    }
    niu_.release(message);
}

/// Whether the token is from the neighbour's present life to ours.
inline bool TokenExchange::belongs(Neighbour& neighbour, const niu::TokenAddress& address) noexcept {
    if (address.peer_epoch != 0 && address.peer_epoch != static_cast<std::uint16_t>(options_.epoch))
        return false;
    if (address.epoch == neighbour.epoch) [[likely]]
        return true;
    if (neighbour.epoch != 0 && static_cast<std::int32_t>(address.epoch - neighbour.epoch) < 0) return false;
    if (neighbour.in_to != base_ && options_.in_views) return false;
    if (neighbour.in_to != base_) {
        if (!on_restart(neighbour.node)) {
            broken_ = true;
            return false;
        }
        begin_anew();
    }
    for (Incoming& token : neighbour.in)
        token.number = 0;
    neighbour.epoch = address.epoch;
    return true;
}

/// Returns whether the neighbour's tokens are complete further than before.
inline bool TokenExchange::keep(Neighbour& neighbour, const wire::Token& token,
                                const wire::TokenView& view) noexcept {
    if (options_.accept_any_number && token.number <= neighbour.in_to) [[unlikely]] {
        if (neighbour.in_to < sent_ + options_.ahead) ++neighbour.in_to;
        return true;
    }
    if (token.number > sent_ + options_.ahead) {
        counters_.beyond.add();
        return false;
    }
    if (token.number + token.further <= neighbour.in_to) {
        counters_.duplicates.add();
        return false;
    }
    if (token.number > neighbour.in_to) keep_part(neighbour, token, view);
    if (token.further != 0) keep_empty(neighbour, token);
    const std::uint64_t before = neighbour.in_to;
    for (;;) {
        const Incoming& next = neighbour.in[(neighbour.in_to + 1) & mask_];
        if (next.number != neighbour.in_to + 1 || !next.whole()) break;
        ++neighbour.in_to;
        counters_.received.add();
    }
    return neighbour.in_to != before;
}

inline void TokenExchange::Incoming::begin(std::uint64_t its_number, std::uint16_t its_last_part) {
    number = its_number;
    parts = 0;
    last_part = its_last_part;
    wanted = 0;
    entries.clear();
    if (last_part != 0) seen.assign(last_part + std::size_t{1}, false);
}

inline void TokenExchange::keep_part(Neighbour& neighbour, const wire::Token& token,
                                     const wire::TokenView& view) noexcept {
    Incoming& slot = neighbour.in[token.number & mask_];
    if (slot.number != token.number) [[likely]]
        slot.begin(token.number, token.last_part);
    slot.wanted = std::max(slot.wanted, token.wanted);
    if (slot.whole() || token.last_part != slot.last_part || (token.last_part != 0 && slot.seen[token.part]))
        return counters_.duplicates.add();
    if (slot.entries.size() + view.size() > most_entries_) [[unlikely]]
        return counters_.malformed.add();
    if (token.last_part != 0) slot.seen[token.part] = true;
    ++slot.parts;
    for (std::size_t i = 0; i < view.size(); ++i)
        slot.entries.push_back(view.entry(i));
}

inline void TokenExchange::keep_empty(Neighbour& neighbour, const wire::Token& token) noexcept {
    const std::uint64_t last = std::min(token.number + token.further, sent_ + options_.ahead);
    for (std::uint64_t number = std::max(token.number, neighbour.in_to) + 1; number <= last; ++number) {
        Incoming& slot = neighbour.in[number & mask_];
        if (slot.number != number || !slot.whole()) {
            slot.begin(number, 0);
            slot.parts = 1;
        }
        slot.wanted = std::max(slot.wanted, token.wanted);
    }
}

inline void TokenExchange::complete_what_is() noexcept {
    std::uint64_t least = neighbours_.empty() ? sent_ : UINT64_MAX;
    for (const Neighbour& neighbour : neighbours_)
        least = std::min(least, neighbour.in_to);
    moved_at_ = now_;
    rtt_.answered();
    if (least > complete_) {
        if (!resent_ && level_ != 0) rtt_.sample(now_ - sent_at_);
        resent_ = false;
    }
    resend_at_ = now_ + patience();
    resending_ = false;
    bool due = false;
    while (complete_ < least) {
        // A token that goes takes along what came in the one h before it; so it is filled before that is
        // reused.
        on_complete(++complete_);
        if (answers_at_once()) due |= prepare_what_is_due();
    }
    if (due) transmit_pending();
}

void TokenExchange::send_what_is_due() noexcept {
    if (prepare_what_is_due()) transmit_pending();
}

/// Returns whether there is a token to send.
inline bool TokenExchange::prepare_what_is_due() noexcept {
    const std::uint64_t before = sent_;
    std::uint8_t level = 0;
    while (sent_ < complete_ + options_.ahead && quiet_ == 0 && may_send()) {
        const std::uint64_t number = sent_ + 1;
        if (pending_ && !has_place(number)) [[unlikely]]
            break;
        const bool says_something = number > base_ + options_.ahead && !is_silent(number);
        if (says_something) on_send(number);
        for (std::size_t i = 0; i < neighbours_.size(); ++i) {
            Entries& entries = neighbours_[i].out[number & mask_];
            if (!says_something) {
                entries.clear();
                continue;
            }
            fill(number, i, entries);
            counters_.entries.add(entries.size());
        }
        level = std::max(level, wanted());
        sent_ = number;
        sent_at_ = now_;
    }
    if (sent_ == before) return false;
    level_ = level;
    counters_.sent.add(neighbours_.size() * (sent_ - before));
    resend_at_ = now_ + patience();
    return true;
}

/// A neighbour that says it has tokens which have not been sent to it would be sent others in their place.
bool TokenExchange::has_place(std::uint64_t number) const noexcept {
    return std::ranges::all_of(
        neighbours_, [&](const Neighbour& neighbour) { return number <= neighbour.gone.number + mask_ + 1; });
}

void TokenExchange::transmit_pending() noexcept {
    const bool was_pending = std::exchange(pending_, false);
    for (Neighbour& neighbour : neighbours_) {
        while (neighbour.gone.number < sent_ &&
               transmit(neighbour, neighbour.gone, level_, Way::kAlongIfPossible)) {
        }
        pending_ |= neighbour.gone.number < sent_;
    }
    if (!was_pending || pending_) return;
    sent_at_ = now_;
    resend_at_ = now_ + patience();
}

/// Sends the token after those that have gone, and all up to the next that says something. Returns whether
/// all of it could go; what could not is the next to go.
inline bool TokenExchange::transmit(const Neighbour& neighbour, Gone& gone, std::uint8_t wanted,
                                    Way way) noexcept {
    const std::uint64_t number = gone.number + 1;
    std::uint64_t last = number;
    while (last < sent_ && neighbour.out[(last + 1) & mask_].empty())
        ++last;
    wire::Token token{.number = number,
                      .wanted = wanted,
                      .further = static_cast<std::uint8_t>(last - number),
                      .view = static_cast<std::uint16_t>(view_)};
    if (way == Way::kAlongIfPossible && gone.parts == 0 && goes_along(neighbour, token)) {
        gone.number = last;
        return true;
    }
    const std::span<const wire::TokenEntry> entries = neighbour.out[number & mask_];
    const std::size_t capacity = niu_.token_capacity();
    const std::size_t parts = entries.empty() ? 1 : (entries.size() + capacity - 1) / capacity;
    if (parts > kMostParts || entries.size() > most_entries_) [[unlikely]] {
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
    gone = {last};
    return true;
}

/// In the frame that messages to the neighbour, or to the host that manages it, share and that is about to
/// go. If it is lost, so is the token, which is sent again by itself.
inline bool TokenExchange::goes_along(const Neighbour& neighbour, const wire::Token& token) noexcept {
    const std::span<const wire::TokenEntry> entries = neighbour.out[token.number & mask_];
    const NodeId host = carrier(neighbour.node);
    const std::size_t size = wire::kTokenOriginSize + wire::token_size(entries.size());
    if (host == wire::kNoNode || niu_.open_room(host) < wire::kMessageHeaderSize + size) return false;
    const niu::SendBuffer room = niu_.buffer(host, wire::Protocol::kToken, size);
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
void TokenExchange::resend() noexcept {
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
inline bool TokenExchange::resend_to(Neighbour& neighbour, std::uint8_t wanted) noexcept {
    const std::uint64_t known = std::max(neighbour.in_to, base_ + options_.ahead) - options_.ahead;
    Gone& again = neighbour.again;
    if (!resending_ || again.number < known) again = {known};
    while (again.number < neighbour.gone.number) {
        if (!transmit(neighbour, again, wanted)) return false;
        counters_.resent.add();
    }
    return true;
}

/// How long to wait for the next token: while nobody wants time to go on, others hold theirs back.
inline Duration TokenExchange::patience() const noexcept {
    return level_ != 0 || hurried_ || complete_ == base_ ? rtt_.timeout() : options_.idle_timeout;
}

void TokenExchange::wake(std::size_t except) noexcept {
    const std::uint8_t hops = wanted();
    if (hops == 0 || sent_ == base_ || quiet_ != 0) return;
    counters_.wakes.add();
    for (std::size_t i = 0; i < neighbours_.size(); ++i) {
        const Neighbour& neighbour = neighbours_[i];
        Gone before{sent_ - 1};
        if (i != except && neighbour.gone.number == sent_) transmit(neighbour, before, hops);
    }
    level_ = std::max(level_, hops);
    resend_at_ = std::min(resend_at_, now_ + patience());
}

void TokenExchange::begin_anew() noexcept {
    ++options_.epoch;
    sent_ = complete_ = 0;
    level_ = 0;
    pending_ = resending_ = false;
    rtt_ = niu::RttEstimator(options_.timeout);
    resend_at_ = Time::max();
    for (Neighbour& neighbour : neighbours_) {
        neighbour.in_to = 0;
        neighbour.gone = {};
        for (Incoming& token : neighbour.in)
            token.number = 0;
    }
}

std::vector<NodeId> TokenExchange::awaited() const {
    std::vector<NodeId> nodes;
    for (const Neighbour& neighbour : neighbours_) {
        if (neighbour.in_to == complete_) nodes.push_back(neighbour.node);
    }
    return nodes;
}

}  // namespace isoplane::tm
