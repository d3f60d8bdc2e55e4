// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <rte_mbuf.h>

#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include <isoplane/niu/lent.hh>
#include <isoplane/niu/parting.hh>
#include <isoplane/niu/sequence.hh>
#include <isoplane/runtime/time.hh>

namespace isoplane::niu {

/// Whose the packet of a frame is.
enum class Origin : std::uint8_t {
    kOurs,   ///< taken from the pool to be filled
    kGiven,  ///< a user's, who may have kept a reference to it
    kLent,   ///< ours, and a second one stands for memory of a user's
};

/// A frame kept until it is acknowledged. Its packet holds one reference of ours, beside that of whoever is
/// sending it.
struct SentFrame {
    rte_mbuf* packet = nullptr;
    runtime::Time sent{};  ///< the last time
    std::uint32_t payload_crc = 0;
    std::uint16_t payload_length = 0;
    std::uint16_t at = 0;  ///< where it begins in its packet, which others may change
    Origin origin = Origin::kOurs;
    bool sent_again = false;

    unsigned packets() const noexcept { return origin == Origin::kLent ? 2 : 1; }
};

/// The sending end of a stream: a ring of frames by sequence number, acknowledged from one side, filled from
/// the other.
///
///     first() <= what is in flight < first_unsent() <= what waits to be sent < next()
class SendWindow {
  public:
    using Time = runtime::Time;
    using Duration = runtime::Duration;

    /// `size` is a power of two. What is acknowledged ends at `parting`; frames that refer to users' memory
    /// at `lent`, without which there can be none.
    explicit SendWindow(unsigned size, Parting& parting, Lent* lent = nullptr)
        : ring_(size), mask_(size - 1), parting_(parting), lent_(lent) {}

    bool full() const noexcept { return next_ - first_ > mask_; }
    bool empty() const noexcept { return next_ == first_; }
    bool in_flight() const noexcept { return unsent_ != first_; }
    bool has_unsent() const noexcept { return unsent_ != next_; }
    /// Whether the next may be sent where so many may be under way.
    bool may_send(unsigned room) const noexcept { return has_unsent() && unsent_ - first_ < room; }
    unsigned size() const noexcept { return next_ - first_; }
    unsigned packets() const noexcept { return packets_; }  ///< of which some frames have two
    Sequence first() const noexcept { return first_; }
    Sequence first_unsent() const noexcept { return unsent_; }
    Sequence next() const noexcept { return next_; }

    SentFrame& operator[](Sequence sequence) noexcept { return ring_[sequence & mask_]; }

    /// Takes the packet over as frame next(). Only while the window is not full.
    void push(rte_mbuf* packet, std::uint32_t payload_crc, std::uint16_t payload_length,
              Origin origin = Origin::kOurs) noexcept {
        SentFrame& frame = (*this)[next_++];
        frame = {packet, {}, payload_crc, payload_length, packet->data_off, origin};
        packets_ += frame.packets();
    }

    /// Frame first_unsent() goes out for the first time.
    void mark_sent(Time now) noexcept { (*this)[unsent_++].sent = now; }

    /// Whether such an acknowledgement says nothing new.
    bool knows(Sequence ack, std::uint64_t selective) const noexcept {
        return ack == first_ && selective == 0;
    }

    struct Acknowledged {
        bool possible = true;           ///< false: of frames never sent
        unsigned frames = 0;            ///< that are not awaited any longer
        unsigned packets = 0;           ///< that need not be kept any longer
        bool news = false;              ///< anything that was not known
        Duration age{};                 ///< of the newest frame, since it was sent the last time
        std::optional<Duration> rtt{};  ///< of the newest frame, if it was sent only once
    };

    /// What a frame from the other end says, in any order and any number of times. What is
    /// acknowledged up to `ack` goes.
    [[gnu::hot]] Acknowledged acknowledge(Sequence ack, std::uint64_t selective, Time now) noexcept;

    /// Calls `resend(sequence)` for each of the first `most` frames that is lost by what has been
    /// acknowledged: three later ones have arrived, one of them sent no earlier, and `delay` has passed since
    /// it was sent. It has to mark the frame as sent again; false makes an end. Returns when to look again,
    /// Time::max() for not at all.
    template <typename Resend>
    Time recover(Time now, Duration delay, unsigned most, Resend&& resend) noexcept {
        Time again = Time::max();
        const auto span = std::min(static_cast<unsigned>(std::bit_width(selective_)), most);
        for (unsigned i = 0; i < span; ++i) {
            if (has_arrived(i) || std::popcount(selective_ >> i) < kLater) continue;
            const SentFrame& frame = (*this)[first_ + i];
            if (frame.sent > newest_arrived_) continue;
            if (frame.sent + delay > now) {
                again = std::min(again, frame.sent + delay);
            } else if (!resend(first_ + i)) {
                return now;
            }
        }
        return again;
    }

    /// Calls `resend(sequence)` for the oldest `most` frames in flight that are not known to have arrived,
    /// and have not been sent since `sent_by`.
    template <typename Resend>
    void resend_oldest(unsigned most, Time sent_by, Resend&& resend) noexcept {
        const unsigned span = unsent_ - first_;
        for (unsigned i = 0; i < span && most > 0; ++i) {
            if (has_arrived(i) || (*this)[first_ + i].sent > sent_by) continue;
            if (!resend(first_ + i)) return;
            --most;
        }
    }

    /// Starts a new stream, with that number. Returns how many frames it freed.
    unsigned reset(Sequence first = 0) noexcept;

  private:
    static constexpr int kLater = 3;

    bool has_arrived(unsigned i) const noexcept {
        return i != 0 && i <= 64 && (selective_ >> (i - 1) & 1) != 0;
    }
    void part_with(const SentFrame& frame) noexcept;
    void note_arrival(const SentFrame& frame, Time now, Acknowledged& result) noexcept;

    std::vector<SentFrame> ring_;
    Sequence mask_;
    Parting& parting_;
    Lent* lent_;
    unsigned packets_ = 0;
    Sequence first_ = 0;
    Sequence unsent_ = 0;
    Sequence next_ = 0;
    std::uint64_t selective_ = 0;  ///< bit i: frame first_ + 1 + i has arrived
    Time newest_arrived_{};        ///< when the newest frame that has arrived was sent
};

}  // namespace isoplane::niu
