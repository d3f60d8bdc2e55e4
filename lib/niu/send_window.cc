// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <isoplane/niu/send_window.hh>

namespace isoplane::niu {

inline void SendWindow::part_with(const SentFrame& frame) noexcept {
    if (frame.origin == Origin::kLent) [[unlikely]]
        return lent_->retire(frame.packet);
    parting_.put(frame.packet, frame.payload_length, frame.origin == Origin::kGiven);
}

void SendWindow::note_arrival(const SentFrame& frame, Time now, Acknowledged& result) noexcept {
    newest_arrived_ = std::max(newest_arrived_, frame.sent);
    result.age = now - frame.sent;
    result.rtt = frame.sent_again ? std::nullopt : std::optional(now - frame.sent);
    result.news = true;
}

SendWindow::Acknowledged SendWindow::acknowledge(Sequence ack, std::uint64_t selective, Time now) noexcept {
    Acknowledged result;
    if (before(ack, first_)) return result;
    // Not only what is ahead: half of all numbers away is neither ahead nor behind.
    if (ack - first_ > unsent_ - first_) [[unlikely]] {
        result.possible = false;
        return result;
    }

    // Who says that later frames have arrived when there are none says nothing.
    if (ack == first_ && (selective == 0 || !in_flight())) return result;
    bool known = false;  // whether an earlier acknowledgement has told that frame first_ arrived
    result.frames = ack - first_;
    while (first_ != ack) {
        const SentFrame& frame = (*this)[first_++];
        if (!known) note_arrival(frame, now, result);
        known = (selective_ & 1) != 0;
        selective_ >>= 1;
        result.packets += frame.packets();
        part_with(frame);
    }
    packets_ -= result.packets;
    if (selective == 0) [[likely]]
        return result;
    const unsigned behind_first = in_flight() ? unsent_ - first_ - 1 : 0;
    if (behind_first < 64) selective &= (std::uint64_t{1} << behind_first) - 1;
    for (std::uint64_t news = selective & ~selective_; news != 0; news &= news - 1)
        note_arrival((*this)[first_ + 1 + static_cast<Sequence>(std::countr_zero(news))], now, result);
    selective_ |= selective;
    return result;
}

unsigned SendWindow::reset(Sequence first) noexcept {
    const unsigned freed = size();
    for (; first_ != next_; ++first_) {
        const SentFrame& frame = (*this)[first_];
        frame.origin == Origin::kLent ? lent_->retire(frame.packet) : rte_pktmbuf_free(frame.packet);
    }
    packets_ = 0;
    first_ = unsent_ = next_ = first;
    selective_ = 0;
    newest_arrived_ = {};
    return freed;
}

}  // namespace isoplane::niu
