// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <rte_ether.h>

#include <algorithm>
#include <array>
#include <isoplane/niu/niu.hh>
#include <isoplane/wire/hello.hh>

#include "frames.hh"

namespace isoplane::niu {

namespace {

constexpr runtime::Duration kSlowestHello = std::chrono::milliseconds{100};
/// How many times `linger` one who leaves waits to hear that its bye has arrived: whatever it sent last may
/// still be on its own side, where it dies with it.
constexpr int kUnconfirmedLingers = 25;

}  // namespace

bool Niu::is_peer(const Peer& peer) const noexcept {
    return peer.node != options_.node;
}

bool Niu::is_missing(const Peer& peer) const noexcept {
    return is_peer(peer) && (peer.state == PeerState::kUnknown || peer.state == PeerState::kHeard);
}

bool Niu::all_up() const noexcept {
    return std::all_of(peers_.begin(), peers_.end(),
                       [this](const Peer& p) { return !is_peer(p) || p.state == PeerState::kUp; });
}

/// A hello, or the answer to one.
void Niu::send_hello(const Station& to, wire::Kind kind, std::uint16_t peer_epoch) noexcept {
    if (blocked_) return;
    rte_mbuf* m = packet();
    if (m == nullptr) return;
    std::byte* at = rte_pktmbuf_mtod(m, std::byte*);
    const wire::Hello hello{
        .roles =
            static_cast<std::uint8_t>(wire::kRoleHost | (options_.manages ? wire::kRoleTokenManager : 0)),
        .features = options_.trust_fcs ? wire::kFeatureNoPayloadCrc : std::uint8_t{0},
        .mtu = options_.mtu,
        .credit = credit_,
        .build_id = options_.build_id,
        .name = std::string_view(options_.nodes[options_.node]).substr(0, wire::kMaxNameSize)};
    const std::size_t size =
        wire::encode_hello({at + overhead_, wire::kHelloSize + wire::kMaxNameSize}, hello);
    wire::Header header{.kind = kind,
                        .job_key = options_.job_key,
                        .source = options_.node,
                        .destination = to.node,
                        .epoch = options_.epoch,
                        .peer_epoch = peer_epoch};
    stations_.surround(at, to, wire::kHeaderSize + size);
    seal(m, header, size);
    emit(m);
}

/// To all on this Ethernet, and to each that is missing and behind the router: no router forwards to all.
/// Where addresses are known, only to those that are missing.
void Niu::send_hellos() noexcept {
    if (options_.macs) {
        for (const Peer& peer : peers_)
            if (is_missing(peer)) send_hello({peer.node, (*options_.macs)[peer.node]}, wire::Kind::kHello);
        return;
    }
    send_hello({wire::kBroadcast, wire::kBroadcastMac}, wire::Kind::kHello);
    if (!stations_.knows_router()) return;
    for (const Peer& peer : peers_)
        if (is_missing(peer) && stations_.is_routed(peer.node))
            send_hello({peer.node, wire::kBroadcastMac}, wire::Kind::kHello);
}

void Niu::on_hello(Peer& peer, const wire::Decoded& frame, const rte_mbuf* packet) noexcept {
    const wire::Header& header = frame.header;
    if (header.epoch == 0 || !is_peer(peer) || is_outlived(peer, header.epoch)) {
        refuse(peer);
        return;
    }
    // Who has closed meets nobody any more, who may be dead long since, and has not left anybody by that.
    if (closed_ && peer.state != PeerState::kUp) return;
    const Station known{header.source, peer.mac};
    if (in_udp_ && !stations_.comes_from(packet, known)) return refuse_source();
    const bool elsewhere = stations_.is_elsewhere(packet, known);
    if (header.epoch == peer.epoch && elsewhere && peer.state == PeerState::kUp) return refuse_source();
    if (header.epoch != peer.epoch || elsewhere) {
        if (peer.state == PeerState::kUp) return doubt(peer);
        if (peer.held != 0) return;  // of its last life; it will present itself again
        if (wire::decode_hello(frame.payload)->mtu < wire::least_mtu(expect_.encapsulation))
            return refuse(peer);
        present(peer, frame, packet);
    }
    if (peer.state == PeerState::kHeard) peer.heard = now_;
    const bool knows_us = header.peer_epoch == static_cast<std::uint16_t>(options_.epoch);
    if (peer.state == PeerState::kHeard && knows_us) come_up(peer);
    if (header.kind == wire::Kind::kHello) {
        send_hello(known, wire::Kind::kHelloAck, peer.header.peer_epoch);
    } else if (peer.state == PeerState::kUp) {
        peer.ack_now = true;  // any frame that names its epoch tells it that we know it
        touch(peer);
    }
}

/// Whether the epoch is one before that in which the peer was last up, or that one and it has been lost.
bool Niu::is_outlived(const Peer& peer, std::uint32_t epoch) const noexcept {
    if (peer.proven == 0) return false;
    return static_cast<std::int32_t>(epoch - peer.proven) < (peer.state == PeerState::kUp ? 0 : 1);
}

/// Believes what a hello says until another says something else: it is the frames that name our epoch which
/// prove that somebody is behind it.
void Niu::present(Peer& peer, const wire::Decoded& frame, const rte_mbuf* packet) noexcept {
    const wire::Header& header = frame.header;
    const auto hello = wire::decode_hello(frame.payload);
    forget(peer);
    peer.state = PeerState::kHeard;
    peer.epoch = header.epoch;
    peer.max_payload =
        static_cast<std::uint16_t>(std::min(hello->mtu, options_.mtu) - (overhead_ - wire::kEthernetSize));
    peer.allowance.reset(options_.planted.first + hello->credit);
    peer.granted = hello->credit;
    peer.manages = (hello->roles & wire::kRoleTokenManager) != 0;
    peer.reserve = std::min(kMostUrgent, hello->credit / 4);
    const bool unchecked = options_.trust_fcs && (hello->features & wire::kFeatureNoPayloadCrc) != 0;
    peer.header = {.flags = unchecked ? wire::kFlagNoPayloadCrc : std::uint16_t{0},
                   .job_key = options_.job_key,
                   .source = options_.node,
                   .destination = header.source,
                   .epoch = options_.epoch,
                   .peer_epoch = static_cast<std::uint16_t>(header.epoch)};
    const auto* ethernet = rte_pktmbuf_mtod(packet, const rte_ether_hdr*);
    std::copy_n(ethernet->src_addr.addr_bytes, peer.mac.size(), peer.mac.begin());
    address(peer);
    hello_wait_ = options_.hello_every;
    membership_at_ = std::min(membership_at_, now_ + hello_wait_);
}

void Niu::address(Peer& peer) noexcept {
    const Station to{peer.node, peer.mac};
    peer.outgoing = {stations_.next_hop(to), options_.mac, stations_.ethertype(), peer.header};
    if (in_udp_) peer.datagrams_out = wire::Datagram(stations_.path(options_.node, to.node));
}

/// Somebody says that a peer which is up has restarted. It may be forged: so it is the peer we know that is
/// asked, and it is lost only if it does not answer. A new incarnation goes on presenting itself.
void Niu::doubt(Peer& peer) noexcept {
    counters_.doubted.add();
    if (peer.doubted != Time::max()) return;
    peer.doubted = now_;
    peer.unanswered = 0;
    peer.silent_at = now_;
    arm(peer, now_);
}

void Niu::come_up(Peer& peer) noexcept {
    peer.state = PeerState::kUp;
    peer.proven = peer.epoch;
    peer.heard = now_;
    peer.unanswered = 0;
    peer.silent_at = now_ + options_.silence / 4;
    if (in_udp_) peer.datagrams_in = wire::Datagram(stations_.path(peer.node, options_.node));
    peer.incoming = {options_.mac, peer.mac, stations_.ethertype(),
                     wire::Header{.flags = peer.header.flags,
                                  .job_key = options_.job_key,
                                  .source = peer.node,
                                  .destination = options_.node,
                                  .epoch = peer.epoch,
                                  .peer_epoch = static_cast<std::uint16_t>(options_.epoch)}};
    rearm(peer);
}

/// Those of which parts lie in users' memory are theirs to say again.
void Niu::tell_unacknowledged(Peer& peer) noexcept {
    close_frame(peer);
    for (Sequence i = peer.out.first(); i != peer.out.next(); ++i) {
        const SentFrame& frame = peer.out[i];
        if (frame.origin == Origin::kLent) continue;
        wire::MessageCursor messages(runtime::Packet::bytes_of(frame.packet).last(frame.payload_length));
        for (wire::Message message; messages.next_valid(message);) {
            const bool is_ordered = wire::is_ordered(message.header.protocol);
            if (message.header.fragment == wire::kWholeMessage && !is_ordered)
                losses_->unacknowledged(peer.node, message.header.protocol, message.body);
        }
    }
}

void Niu::lose(Peer& peer, PeerState state) noexcept {
    if (losses_ != nullptr) tell_unacknowledged(peer);
    peer.ended = peer.epoch;
    peer.ended_at = peer.ahead.number(peer.out.first());
    forget(peer);
    peer.state = state;
    counters_.peers_lost.add();
}

void Niu::give_up(NodeId node) noexcept {
    Peer& peer = peers_[node];
    if (peer.state == PeerState::kUp) {
        lose(peer, PeerState::kDead);
    } else if (peer.state == PeerState::kHeard) {
        forget(peer);
        peer.state = PeerState::kUnknown;
    }
}

/// Both streams with all that is in them. Returns how many frames that were.
std::size_t Niu::forget(Peer& peer) noexcept {
    kept_ -= peer.out.packets() + (peer.open.packet != nullptr ? 1U : 0U);
    const Sequence first = options_.planted.first;
    std::size_t freed = peer.out.reset(first) + peer.in.reset(first);
    if (peer.open.packet != nullptr) {
        rte_pktmbuf_free(peer.open.packet);
        ++freed;
    }
    peer.open = {};
    while (!peer.transfers.empty())
        end_transfer(peer);
    peer.ahead = {};
    peer.others_until = {};
    peer.assembly = {};
    peer.incoming = {};
    peer.grant.reset(first);
    peer.rtt = RttEstimator(options_.timeout);
    peer.room = RoomEstimator(options_.window);
    peer.in_doubt = first;
    peer.come_twice = false;
    peer.ack_now = peer.ask_now = peer.stalled = false;
    peer.bye_received = peer.bye_confirmed = false;
    peer.unacked = 0;
    peer.doubted = Time::max();
    peer.ack_at = peer.resend_at = peer.recover_at = peer.ask_at = peer.silent_at = Time::max();
    return freed;
}

/// While this node did not run the others may not have, either; and what they say may wait to be received.
void Niu::skip(runtime::Duration stopped) noexcept {
    if (stopped == runtime::Duration{0}) return;
    for (Time* const then : {&started_, &close_started_, &all_left_})
        runtime::put_off(*then, stopped, now_);
    for (Peer& peer : peers_)
        runtime::put_off(peer.bye_heard, stopped, now_);
}

void Niu::tend_membership() noexcept {
    if (started_ == Time::min()) started_ = now_;
    skip(watch_.excess(now_));
    membership_at_ = now_ + hello_wait_;
    if (closing_) return tend_closing();
    const bool seeks_router = stations_.gateway() != 0 && !stations_.knows_router();
    const bool incomplete =
        std::any_of(peers_.begin(), peers_.end(), [this](const Peer& peer) { return is_missing(peer); });
    if (!incomplete && !seeks_router) {
        hello_wait_ = options_.hello_every;
        return;
    }
    // To all, also when only one that has presented itself is still to prove itself: whoever it was may have
    // been another, and its answer would be his.
    if (!quiet_ && incomplete) send_hellos();
    if (!quiet_ && seeks_router) ask_for_router();
    hello_wait_ = std::min(hello_wait_ * 2, kSlowestHello);
}

std::string Niu::missing() const {
    if (started_ == Time::min() || now_ - started_ < options_.hello_limit) return {};
    std::string names;
    for (const Peer& peer : peers_) {
        if (is_missing(peer)) names += (names.empty() ? "" : ", ") + options_.nodes[peer.node];
    }
    if (names.empty()) return {};
    return name() + " has not found " + names +
           "; see that they run, with the same job key, and are on the same network";
}

void Niu::close() noexcept {
    if (closing_) return;
    closing_ = true;
    for (Peer& peer : peers_)
        close_frame(peer);
    close_started_ = now_;
    hello_wait_ = options_.hello_every;
    membership_at_ = now_;
}

void Niu::leave() noexcept {
    alone_ = true;
    close();
}

/// Its bye and ours have arrived. Whether ours has we may never learn, when the last word is lost and its
/// sender gone; but a peer that still misses ours would go on asking, and be heard in time.
bool Niu::has_left(const Peer& peer) const noexcept {
    if (!is_peer(peer) || (peer.state != PeerState::kUp && peer.state != PeerState::kHeard)) return true;
    // Of one that has only presented itself nobody asks whether it lives.
    const bool silent = now_ - std::max(peer.heard, close_started_) >= options_.silence;
    if (peer.state == PeerState::kHeard && silent) return true;
    // One who leaves, too, hears no more.
    if (alone_) return peer.state == PeerState::kHeard || peer.bye_received || peer.sent_all();
    return peer.sent_all() && peer.bye_received &&
           (peer.bye_confirmed || now_ - peer.bye_heard >= options_.linger * kUnconfirmedLingers);
}

void Niu::tend_closing() noexcept {
    bool all = true;
    for (Peer& peer : peers_) {
        const bool left = has_left(peer);
        all = all && left;
        // Whoever leaves alone says so until it goes: nobody answers.
        if (left && (!alone_ || peer.bye_received)) continue;
        if (peer.state == PeerState::kHeard && !alone_) send_hellos();
        if (peer.state == PeerState::kUp && peer.sent_all()) send_control(peer, wire::Kind::kBye, 0);
    }
    all_left_ = all ? std::min(all_left_, now_) : Time::max();
    if ((all && now_ - all_left_ >= options_.linger) || now_ - close_started_ >= options_.close_limit)
        closed_ = true;
}

void Niu::on_bye(Peer& peer, const wire::Header& header) noexcept {
    if (peer.state == PeerState::kHeard) come_up(peer);
    peer.heard = now_;
    on_acknowledgement(peer, header.ack, header.selective, header.credit);
    peer.bye_received = true;
    peer.bye_heard = now_;
    if (header.sequence == 1) peer.bye_confirmed = true;
    if (closing_ && peer.sent_all() && header.sequence == 0) {
        send_control(peer, wire::Kind::kBye, 1);
        if (!peer.bye_confirmed) send_control(peer, wire::Kind::kBye, 0);
    }
    // The last linger begins again: it has asked, so it may ask once more.
    if (all_left_ != Time::max() && !alone_) all_left_ = now_;
}

std::string Niu::left_open() const {
    if (!closed_) return {};
    std::string names;
    for (const Peer& peer : peers_) {
        if (!has_left(peer)) names += (names.empty() ? "" : ", ") + options_.nodes[peer.node];
    }
    if (names.empty()) return {};
    return name() + " left while " + names + " had not closed; what those sent last may be lost";
}

}  // namespace isoplane::niu
