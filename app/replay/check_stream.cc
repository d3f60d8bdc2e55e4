// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "replay/check_stream.hh"

#include <bit>
#include <isoplane/wire/crc32c.hh>

#include "replay/words.hh"

namespace isoplane::replay {

namespace {

/// A fabric holds no frame back for so long.
constexpr Time kHeldBackFor = std::chrono::milliseconds{100};

}  // namespace

std::optional<std::uint32_t> NeverBack::add(const Moment& now, std::uint32_t number) {
    const auto settles = [&now](const Moment& when) {
        return when.frame + kReordered < now.frame && when.time + kHeldBackFor < now.time;
    };
    for (; !raised_.empty() && settles(raised_.front().when); raised_.pop_front())
        settled_ = raised_.front().number;
    if (settled_ && before(number, *settled_)) return settled_;
    const auto highest = raised_.empty() ? settled_ : raised_.back().number;
    if (!highest || before(*highest, number)) raised_.push_back({now, number});
    return std::nullopt;
}

void StreamChecker::granted_at_first(std::uint32_t credit) {
    at_first_ = credit;
    if (!limit_) limit_ = credit;
}

bool StreamChecker::see_data(const Moment& now, const wire::Header& header,
                             std::span<const std::byte> payload, bool one_plane) {
    const std::uint32_t crc = header.payload_crc != 0 ? header.payload_crc : wire::crc32c(payload);
    if (!contents_.add(header.sequence, both(header.payload_length, crc)))
        violated_(now.frame, "frame " + text(header.sequence) + " " + name_ +
                                 " has another content than the one of that number before");
    // One that is sent again does not tell that the trace has all behind it: hellos come first.
    if (header.sequence == 0 && at_first_) from_start_ = true;
    if (limit_ && !before(header.sequence, *limit_)) ungranted_.push_back({now, header.sequence});
    if (is_here(header.sequence)) return false;
    early_.emplace(header.sequence, pieces_of(payload, now.frame));
    for (auto first = early_.begin(); first != early_.end() && first->first == next_;
         first = early_.begin()) {
        see_in_order(first->second, one_plane);
        early_.erase(first);
        ++next_;
    }
    constexpr std::size_t kMostEarly = 4096;
    if (early_.size() > kMostEarly) {
        early_.clear();
        forgot_some_ = true;
    }
    std::erase_if(unseen_, [&](const Due& due) { return !before(next_, due.before); });
    std::erase_if(selected_, [&](const Due& due) { return is_here(due.before); });
    return true;
}

void StreamChecker::see_in_order(const std::vector<Piece>& pieces, bool one_plane) {
    for (const Piece& piece : pieces)
        if (const std::string fault = order_.see(piece, one_plane); !fault.empty())
            violated_(piece.frame, "frame " + text(next_) + " " + name_ + ": " + fault);
}

void StreamChecker::see_told(const Moment& now, const wire::Header& header, bool copy) {
    if (!limit_ || before(*limit_, header.credit)) {
        limit_ = header.credit;
        std::erase_if(ungranted_, [&](const Due& due) { return before(due.before, *limit_); });
    }
    if (copy) return;
    see_acknowledged(now, header);
    see_granted(now, header);
}

void StreamChecker::see_acknowledged(const Moment& now, const wire::Header& header) {
    if (const auto earlier = acknowledged_.add(now, header.ack))
        violated_(now.frame, "the acknowledgement of what comes " + name_ + " goes back, to " +
                                 text(header.ack) + " from " + text(*earlier));
    if (before(next_, header.ack)) unseen_.push_back({now, header.ack});
    for (std::uint64_t bits = header.selective; bits != 0; bits &= bits - 1) {
        const std::uint32_t sequence = header.ack + 1 + static_cast<std::uint32_t>(std::countr_zero(bits));
        if (!is_here(sequence)) selected_.push_back({now, sequence});
    }
}

/// Credit is for what has been received and released, and what may come in addition.
void StreamChecker::see_granted(const Moment& now, const wire::Header& header) {
    if (const auto earlier = granted_.add(now, header.credit))
        violated_(now.frame, "the credit for what comes " + name_ + " goes back, to " + text(header.credit) +
                                 " from " + text(*earlier));
    if (before(header.credit, header.ack))
        violated_(now.frame, text(header.ack) + " frames " + name_ + " are acknowledged, and " +
                                 text(header.credit) + " were granted");
    if (at_first_ && before(header.ack + *at_first_, header.credit))
        violated_(now.frame, text(header.credit) + " frames " + name_ + " are granted where " +
                                 text(header.ack) + " have arrived and the receiver has room for " +
                                 text(*at_first_));
}

void StreamChecker::expire(std::uint64_t since) {
    const auto overdue = [since](const std::deque<Due>& dues) {
        return !dues.empty() && (since == kEnd || dues.front().when.frame + kReordered < since);
    };
    for (; overdue(ungranted_); ungranted_.pop_front())
        if (const Due& due = ungranted_.front(); due.when.time <= receiver_heard_)
            violated_(due.when.frame, "frame " + text(due.before) + " " + name_ +
                                          " is sent without credit: " + text(*limit_) +
                                          " frames were granted");
    for (; overdue(unseen_); unseen_.pop_front())
        if (const Due& due = unseen_.front(); from_start_ && due.when.time <= sender_heard_)
            violated_(due.when.frame,
                      "frame " + text(next_) + " " + name_ + " is acknowledged, but not in the trace");
    for (; overdue(selected_); selected_.pop_front())
        if (const Due& due = selected_.front();
            from_start_ && !forgot_some_ && due.when.time <= sender_heard_)
            violated_(due.when.frame, "frame " + text(due.before) + " " + name_ +
                                          " is acknowledged out of turn, but not in the trace");
}

}  // namespace isoplane::replay
