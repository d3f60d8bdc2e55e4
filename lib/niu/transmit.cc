// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <cstring>
#include <isoplane/niu/niu.hh>

#include "frames.hh"

namespace isoplane::niu {

namespace {

/// Frames sent again at once when nothing has been heard: enough to mend the end of a burst in one round
/// trip, few enough not to flood what may be a crowded network.
constexpr unsigned kResentAtOnce = 8;

/// When to try again what the output or the pool did not allow.
constexpr runtime::Duration kSoon = std::chrono::microseconds{10};

/// All that stands in front of the payload.
template <wire::Transport transport>
void write_headers(const Peer& peer, rte_mbuf* m, const wire::StreamFields& fields) noexcept {
    auto* const at = rte_pktmbuf_mtod(m, std::byte*);
    if constexpr (transport == wire::Transport::kUdp)
        peer.datagrams_out.write(at, wire::kHeaderSize + fields.payload_length);
    peer.outgoing.write<wire::envelope_size(transport)>(at, fields);
}

/// Of whoever sends the packet. The second half of one that is not chained stays unread.
inline void add_reference(rte_mbuf* m) noexcept {
    rte_mbuf_refcnt_update(m, 1);
    if (m->nb_segs != 1) [[unlikely]]
        rte_mbuf_refcnt_update(m->next, 1);
}

}  // namespace

void Niu::touch(Peer& peer) noexcept {
    if (peer.touched) return;
    peer.touched = true;
    touched_.push_back(&peer);
}

void Niu::serve_touched() noexcept {
    std::size_t kept = 0;
    const std::size_t n = touched_.size();
    for (std::size_t i = 0; i < n; ++i) {
        Peer& peer = *touched_[i];
        if (serve(peer)) {
            touched_[kept++] = touched_[i];
        } else {
            peer.touched = false;
        }
    }
    touched_.resize(kept);
}

/// Sends what there is to send; of large messages each burst before the next is written. Returns whether
/// something is left that nothing but another try will move.
inline bool Niu::serve(Peer& peer) noexcept {
    if (!peer.transfers.empty()) serve_transfers(peer);
    close_frame(peer);
    if (!transmit(peer)) return true;
    if (peer.state != PeerState::kUp) return false;
    if (peer.ack_now || peer.grant.worth_telling()) {
        const wire::Kind kind = peer.ack_now ? wire::Kind::kAck : wire::Kind::kCredit;
        if (!send_control(peer, kind, peer.out.next())) return true;
        counters_.acks_sent.add();
    }
    if (peer.ask_now) {
        if (!send_control(peer, wire::Kind::kCreditRequest, peer.out.next())) return true;
        peer.ask_now = false;
        counters_.requests_sent.add();
    }
    return !peer.transfers.empty() && may_open(peer);  // then it is the pool that is used up
}

void Niu::serve_transfers(Peer& peer) noexcept {
    do {
        transmit(peer);
        push_out();
    } while (pump(peer) && !peer.transfers.empty());
}

/// Acknowledgement and credit as they stand go with every frame, so nothing else has to carry them.
inline wire::StreamFields Niu::tell(Peer& peer) noexcept {
    peer.ack_now = false;
    peer.unacked = 0;
    peer.ack_at = Time::max();
    peer.grant.told();
    return {.ack = peer.in.expected(), .selective = peer.in.selective(), .credit = peer.grant.limit()};
}

/// What has not been sent yet, if there is room for it. Returns whether the output does not stand in the way.
inline bool Niu::transmit(Peer& peer) noexcept {
    if (!peer.out.may_send(peer.room.frames())) return true;
    if (!blocked_) {
        if (!in_udp_) [[likely]]
            transmit<wire::Transport::kEthernet>(peer);
        else
            transmit<wire::Transport::kUdp>(peer);
    }
    return !blocked_;
}

/// All of it, as far as the output takes it.
template <wire::Transport transport>
void Niu::transmit(Peer& peer) noexcept {
    wire::StreamFields fields = tell(peer);
    const Sequence first = peer.out.first_unsent();
    const unsigned room = peer.room.frames();
    do {
        fields.sequence = peer.out.first_unsent();
        SentFrame& frame = peer.out[fields.sequence];
        if (frame.origin == Origin::kGiven && runtime::references(frame.packet) == 1)
            frame.origin = Origin::kOurs;  // its user has let go of it
        fields.payload_length = frame.payload_length;
        fields.payload_crc = frame.payload_crc;
        write_headers<transport>(peer, frame.packet, fields);
        add_reference(frame.packet);
        peer.out.mark_sent(now_);
        emit(frame.packet);
    } while (peer.out.may_send(room) && !blocked_);
    counters_.frames_sent.add(peer.out.first_unsent() - first);
    if (peer.resend_at == Time::max()) {
        peer.resend_at = now_ + peer.rtt.timeout();
        arm(peer, peer.resend_at);
    }
}

/// Whoever had it may have sent it on, as much of it as he liked.
void Niu::restore(const SentFrame& frame) noexcept {
    frame.packet->data_off = frame.at;
    frame.packet->data_len = static_cast<std::uint16_t>(overhead_ + frame.payload_length);
    frame.packet->pkt_len = frame.packet->data_len;
}

/// Of one that its receiver may be sending on right now: what it says of itself is not relied on. If he is,
/// the checksum of the copy is wrong; but then it has arrived.
rte_mbuf* Niu::copy_of(const SentFrame& frame) noexcept {
    rte_mbuf* const copy = rte_pktmbuf_alloc(pool_.raw());
    if (copy == nullptr) return nullptr;
    const std::size_t size = overhead_ + frame.payload_length;
    copy->data_off = std::min(copy->data_off, frame.at);
    copy->data_len = static_cast<std::uint16_t>(size);
    copy->pkt_len = copy->data_len;
    std::memcpy(rte_pktmbuf_mtod(copy, void*), static_cast<std::byte*>(frame.packet->buf_addr) + frame.at,
                size);
    return copy;
}

/// The packet itself only if nobody else can see it: a driver may not have sent it yet.
bool Niu::resend(Peer& peer, Sequence sequence) noexcept {
    if (blocked_) return false;
    if (options_.planted.never_resend) [[unlikely]]
        return true;
    SentFrame& frame = peer.out[sequence];
    rte_mbuf* m = frame.packet;
    if (runtime::references(m) == 1) {
        if (frame.origin != Origin::kLent) restore(frame);
        add_reference(m);
    } else {
        m = options_.in_process ? copy_of(frame) : rte_pktmbuf_copy(m, pool_.raw(), 0, UINT32_MAX);
        if (m == nullptr) {
            counters_.no_packets.add();
            return false;
        }
        counters_.copied_bytes.add(frame.payload_length);
    }
    wire::StreamFields fields = tell(peer);
    fields.sequence = sequence;
    fields.payload_length = frame.payload_length;
    fields.payload_crc = frame.payload_crc;
    if (in_udp_) {
        write_headers<wire::Transport::kUdp>(peer, m, fields);
    } else {
        write_headers<wire::Transport::kEthernet>(peer, m, fields);
    }
    frame.sent = now_;
    frame.sent_again = true;
    emit(m);
    return true;
}

/// A ring hands the very packet to the receiver, so that one which somebody has is not lost: what has arrived
/// is asked for. He may be changing what it carries to send it on. Only of one that a user gave it may be
/// that user who has it: if asking did not help, a copy goes, whatever it has become.
bool Niu::resend_lost(Peer& peer, Sequence sequence, Counters::Counter& counter) noexcept {
    SentFrame& frame = peer.out[sequence];
    const bool may_be_lost = frame.origin == Origin::kGiven && frame.sent_again;
    if (options_.in_process && !may_be_lost && runtime::references(frame.packet) != 1) {
        frame.sent = now_;
        frame.sent_again = true;
        peer.ask_now = true;
        touch(peer);
        return true;
    }
    if (!resend(peer, sequence)) return false;
    peer.room.lost();
    counter.add();
    return true;
}

/// Returns whether neither the output nor the pool stood in the way.
bool Niu::resend_timed_out(Peer& peer, unsigned most) noexcept {
    bool well = true;
    peer.out.resend_oldest(std::min(most, peer.room.frames()), peer.timed_out, [&](Sequence sequence) {
        well = resend_lost(peer, sequence, counters_.resent_timeout);
        return well;
    });
    return well;
}

/// After a timeout, as what was sent again then is acknowledged: all else from before it is lost, too, unless
/// a frame has arrived that was not sent again, or one has sooner than it can have by being sent again.
void Niu::mend_on(Peer& peer, const SendWindow::Acknowledged& acknowledged) noexcept {
    if (acknowledged.rtt || acknowledged.age < peer.rtt.smoothed() / 2) {
        peer.in_doubt = peer.out.first();
        peer.room.was_hasty();
    } else {
        resend_timed_out(peer, 2 * acknowledged.frames);
    }
}

void Niu::recover(Peer& peer) noexcept {
    const Time again = peer.out.recover(
        now_, peer.rtt.loss_delay(), peer.room.frames(),
        [&](Sequence sequence) { return resend_lost(peer, sequence, counters_.resent_overtaken); });
    peer.recover_at = again <= now_ ? now_ + kSoon : again;
    if (peer.recover_at != Time::max()) arm(peer, peer.recover_at);
}

void Niu::time_out(Peer& peer) noexcept {
    if (blocked_) {
        peer.resend_at = now_ + kSoon;
        return;
    }
    const unsigned before = peer.rtt.backed_off();
    peer.room.timed_out(before != 0);
    peer.rtt.back_off();
    peer.resend_at = now_ + peer.rtt.timeout();
    peer.timed_out = now_;
    peer.in_doubt = peer.out.first_unsent();
    if (!resend_timed_out(peer, std::max(kResentAtOnce >> before, 1U))) peer.resend_at = now_ + kSoon;
}

void Niu::on_timer(Peer& peer) noexcept {
    if (peer.state != PeerState::kUp) return;
    if (now_ >= peer.ack_at) {
        peer.ack_at = Time::max();
        peer.ack_now = true;
        touch(peer);
    }
    if (now_ >= peer.recover_at) recover(peer);
    if (now_ >= peer.resend_at) time_out(peer);
    if (now_ >= peer.ask_at) {
        peer.rtt.back_off();
        peer.ask_at = now_ + peer.rtt.timeout();
        peer.ask_now = true;
        touch(peer);
    }
    if (now_ >= peer.silent_at) check_silence(peer);
    rearm(peer);
}

/// Asks in good time, so that a peer is dead only when it has not answered. One that was only not listened
/// to, because this process was stopped, is asked first. One that is said to have restarted has less time,
/// and is asked so often that no network loses all questions or answers.
void Niu::check_silence(Peer& peer) noexcept {
    if (peer.heard > peer.doubted) peer.doubted = Time::max();
    if (peer.heard > peer.asked) peer.unanswered = 0;
    const bool doubted = peer.doubted != Time::max();
    const unsigned questions = doubted ? 15 : 3;
    const runtime::Duration limit =
        doubted ? std::min(options_.displace, options_.silence) : options_.silence;
    const runtime::Duration wait = limit / (questions + 1);
    const runtime::Duration silent = now_ - peer.heard;
    if (silent < wait && !doubted) {
        peer.silent_at = peer.heard + wait;
    } else if (silent >= limit && peer.unanswered >= questions) {
        lose(peer, doubted ? PeerState::kUnknown : PeerState::kDead);
    } else {
        ++peer.unanswered;
        peer.asked = now_;
        peer.ask_now = true;
        touch(peer);
        peer.silent_at = now_ + wait;
    }
}

void Niu::rearm(const Peer& peer) noexcept {
    const Time next = std::min({peer.ack_at, peer.resend_at, peer.recover_at, peer.ask_at, peer.silent_at});
    if (next != Time::max()) arm(peer, next);
}

bool Niu::send_control(Peer& peer, wire::Kind kind, Sequence sequence) noexcept {
    if (blocked_) return false;
    rte_mbuf* m = packet();
    if (m == nullptr) return false;
    const wire::StreamFields fields = tell(peer);
    wire::Header header = peer.header;
    header.kind = kind;
    header.flags = 0;
    header.sequence = sequence;
    header.ack = fields.ack;
    header.selective = fields.selective;
    header.credit = fields.credit;
    peer.outgoing.write_ethernet(rte_pktmbuf_mtod(m, std::byte*));
    if (in_udp_) peer.datagrams_out.write(rte_pktmbuf_mtod(m, std::byte*), wire::kHeaderSize);
    seal(m, header, 0);
    emit(m);
    return true;
}

/// Of a packet with an envelope, and a payload of that size in its place.
void Niu::seal(rte_mbuf* m, wire::Header& header, std::size_t size) noexcept {
    auto* const at = rte_pktmbuf_mtod_offset(m, std::byte*, overhead_ - wire::kHeaderSize);
    wire::encode_frame(std::span<std::byte, wire::kHeaderSize>(at, wire::kHeaderSize), header,
                       {at + wire::kHeaderSize, size});
    m->data_len = static_cast<std::uint16_t>(overhead_ + size);
    m->pkt_len = m->data_len;
}

void Niu::push_out() noexcept {
    if (out_count_ == 0) return;
    to_.send(out_.data(), std::exchange(out_count_, std::uint16_t{0}));
    blocked_ = to_.size() != 0;
}

}  // namespace isoplane::niu
