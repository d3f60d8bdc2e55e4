// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <rte_prefetch.h>

#include <algorithm>
#include <bit>
#include <isoplane/niu/niu.hh>
#include <isoplane/wire/crc_words.hh>
#include <isoplane/wire/hello.hh>
#include <isoplane/wire/isotach.hh>
#include <stdexcept>

#include "layout.hh"
#include "message.hh"

namespace isoplane::niu {

namespace {

Options checked(Options options, const runtime::Pool& pool) {
    if (!std::has_single_bit(options.window) || options.window > 32768) {
        throw std::invalid_argument("a window of " + std::to_string(options.window) +
                                    " frames cannot be; give a power of two up to 32768");
    }
    if (options.node >= options.nodes.size()) {
        throw std::invalid_argument("node " + std::to_string(options.node) + " is none of the job's " +
                                    std::to_string(options.nodes.size()) +
                                    " nodes; list all of them, this one included");
    }
    if (static_cast<std::uint16_t>(options.epoch) == 0)
        throw std::invalid_argument("epoch " + std::to_string(options.epoch) +
                                    " means unknown, as its low half is 0; give a greater one");
    const wire::Encapsulation encapsulation = Stations(options).encapsulation();
    const std::size_t least = wire::least_mtu(encapsulation);
    if (options.mtu < least) {
        throw std::invalid_argument("an MTU of " + std::to_string(options.mtu) +
                                    " is too small; links carry at least " + std::to_string(least));
    }
    if (options.udp.is_used() && options.udp.addresses.size() != options.nodes.size())
        throw std::invalid_argument("there are " + std::to_string(options.udp.addresses.size()) +
                                    " IPv4 addresses for " + std::to_string(options.nodes.size()) +
                                    " nodes; give each node one");
    if (options.macs && options.macs->size() != options.nodes.size())
        throw std::invalid_argument("there are " + std::to_string(options.macs->size()) +
                                    " Ethernet addresses for " + std::to_string(options.nodes.size()) +
                                    " nodes; give each node one, or none");
    const unsigned room = rte_pktmbuf_data_room_size(pool.raw()) - RTE_PKTMBUF_HEADROOM;
    if (options.mtu + wire::kEthernetSize + kAlignment > room) {
        throw std::invalid_argument("an MTU of " + std::to_string(options.mtu) +
                                    " needs packets with more room than " + std::to_string(room) +
                                    " bytes; give a pool of larger packets, or a smaller MTU");
    }
    return options;
}

/// What may be kept for sending, and what may be granted: a quarter of the pool stays for acknowledgements,
/// and for frames that are refused.
unsigned share_of(const runtime::Pool& pool) {
    return pool.size() * 3 / 8;
}

/// Acknowledged packets that may wait for their receivers.
std::size_t most_parting(const Options& options, const runtime::Pool& pool) {
    return std::clamp(pool.size() / 16, 1U, options.window);
}

/// Of the packets that are written next: what another CPU has read has to come back from there.
std::size_t most_fetched(const Options& options) {
    return options.in_process && !stores_fetch() ? PacketStock::kMostFetched : PacketStock::kLeastFetched;
}

/// Frames that each peer may have sent us.
std::uint32_t credit_for_each(const Options& options, const runtime::Pool& pool) {
    const auto peers = std::max<std::size_t>(options.nodes.named(), 2) - 1;
    const auto share = static_cast<std::uint32_t>(share_of(pool) / peers);
    if (share == 0) {
        throw std::invalid_argument("a pool of " + std::to_string(pool.size()) +
                                    " packets is too small for " + std::to_string(peers) +
                                    " peers; give one with three for each at least");
    }
    return std::min(options.window, share);
}

}  // namespace

Niu::Niu(std::string name, runtime::Input& from, runtime::Output& to, runtime::Pool& pool, Options options)
    : Stage(std::move(name)),
      options_(checked(std::move(options), pool)),
      stations_(options_),
      expect_{.encapsulation = stations_.encapsulation(),
              .job_key = options_.job_key,
              .node = options_.node,
              .node_count = static_cast<std::uint16_t>(options_.nodes.size())},
      from_(takes_from(from)),
      to_(gives_to(to)),
      pool_(pool),
      stock_(pool, most_fetched(options_)),
      in_udp_(stations_.in_udp()),
      overhead_(overhead_of(expect_.encapsulation.transport)),
      parting_(options_.in_process, most_parting(options_, pool)),
      lent_(options_.in_process, pool.size()),
      credit_(credit_for_each(options_, pool)),
      peers_(options_, credit_, parting_, lent_),
      most_kept_(share_of(pool)),
      frames_(peers_.size() * credit_, pool.raw()),
      token_nodes_(options_),
      wheel_(peers_.size()),
      hello_wait_(options_.hello_every) {
    touched_.reserve(peers_.size());
}

Niu::~Niu() {
    discard();
}

unsigned Niu::poll(Time now) {
    now_ = now;
    blocked_ = !to_.flush();
    const std::uint64_t sent_before = counters_.frames_sent.get();
    if (!token_nodes_.views_out.empty()) [[unlikely]]
        send_views();
    // What waits to leave does not wait for what has come.
    const unsigned tokens = prepare_tokens();
    send_waiting();
    frames_.flush();
    parting_.flush();
    if (!lent_.empty()) lent_.sweep();
    runtime::Burst burst;
    const std::uint16_t n = from_.receive(burst);
    if (n > 0) {
        if (!in_udp_) [[likely]]
            receive_burst<wire::Transport::kEthernet>({burst.data(), n});
        else
            receive_datagrams({burst.data(), n});
    }
    parting_.flush_much();
    wheel_.advance(now, [this](unsigned peer) { on_timer(peers_.at(peer)); });
    if (now >= membership_at_) tend_membership();
    send_waiting();
    const unsigned moved = n + tokens + static_cast<unsigned>(counters_.frames_sent.get() - sent_before);
    if (moved == 0) stock_.fetch_next(options_.mtu + wire::kEthernetSize);
    return moved;
}

namespace {

/// Fetches what is about to be read, as far as `most` lines.
void prefetch_data(const rte_mbuf* packet, std::size_t most) noexcept {
    const auto* at = rte_pktmbuf_mtod(packet, const char*);
    const std::size_t size = std::min<std::size_t>(packet->data_len, most * RTE_CACHE_LINE_SIZE);
    // The last byte has a line of its own when the first is in the middle of one.
    for (std::size_t i = 0; i < size; i += RTE_CACHE_LINE_SIZE)
        rte_prefetch0(at + i);
    rte_prefetch0(at + size - (size > 0 ? 1 : 0));
}

/// The lines of a small frame, where drivers and senders put them in packets of a pool. Only the packet says
/// where they are, but it has a line of its own, which may be as far away: it need not be waited for.
void prefetch_supposed_data(const rte_mbuf* packet) noexcept {
    constexpr std::size_t kLines = 3;
    const auto* at = reinterpret_cast<const char*>(packet) + sizeof(rte_mbuf) + RTE_PKTMBUF_HEADROOM;
    for (std::size_t i = 0; i < kLines; ++i)
        rte_prefetch0(at + i * RTE_CACHE_LINE_SIZE);
}

}  // namespace

/// An intact data frame of a peer's present life.
struct Niu::Vetted {
    Peer* peer;
    wire::StreamFields fields;
};

/// All lines of small frames are fetched before the first is looked at, those of a large one while that
/// before it is read. Frames are vetted one after the other before the first of them is processed: none of
/// these steps waits for another frame's, so a CPU has several of them under way. What has to be looked at
/// closely may change what the next is vetted by, and comes between.
template <wire::Transport transport>
inline void Niu::receive_burst(std::span<rte_mbuf* const> packets) noexcept {
    constexpr std::size_t kFirst = 4;
    constexpr std::size_t kAll = 64;
    // On a link of rings the sender has had them, and refers to them still: to give our reference back is to
    // write.
    for (rte_mbuf* packet : packets) {
        runtime::prefetch_to_write(packet);
        prefetch_supposed_data(packet);
    }
    for (const rte_mbuf* packet : packets)
        prefetch_data(packet, kFirst);
    std::array<Vetted, runtime::kBurst> vetted;
    for (std::size_t i = 0; i < packets.size();) {
        const std::size_t first = i;
        for (; i < packets.size(); ++i) {
            if (i + 1 < packets.size() && packets[i + 1]->data_len > kFirst * RTE_CACHE_LINE_SIZE)
                prefetch_data(packets[i + 1], kAll);
            Vetted& frame = vetted[i - first];
            frame.peer = sender_of<transport>(packets[i], frame.fields);
            if (frame.peer == nullptr) [[unlikely]]
                break;
        }
        for (std::size_t k = first; k < i; ++k)
            process(vetted[k - first], packets[k]);
        if (i < packets.size()) process_with_care(packets[i++]);
    }
}

/// By itself, so that a poll of Ethernet is not longer for it.
[[gnu::noinline]] void Niu::receive_datagrams(std::span<rte_mbuf* const> packets) noexcept {
    receive_burst<wire::Transport::kUdp>(packets);
}

/// The peer that sent an intact data frame in its present life, as nearly every frame is; nullptr for all
/// else, which is to be looked at closely.
template <wire::Transport transport>
inline Peer* Niu::sender_of(const rte_mbuf* packet, wire::StreamFields& fields) noexcept {
    constexpr std::size_t kFront = wire::envelope_size(transport);
    constexpr std::size_t kOverhead = overhead_of(transport);
    if (packet->nb_segs != 1 || packet->data_len < kOverhead) return nullptr;
    const auto* const at = rte_pktmbuf_mtod(packet, const std::byte*);
    const NodeId source = wire::frame_layout::Source::get(at + kFront);
    if (source >= peers_.nodes()) return nullptr;
    Peer& peer = peers_[source];
    if constexpr (transport == wire::Transport::kUdp)
        if (!peer.datagrams_in.surrounds(at, packet->data_len)) return nullptr;
    if (!peer.incoming.read<kFront>(at, fields) || fields.payload_length > packet->data_len - kOverhead)
        return nullptr;
    const std::span payload(at + kOverhead, fields.payload_length);
    if (fields.payload_crc != (checks_payload(peer) ? wire::quick_crc32c(payload) : 0)) return nullptr;
    return wire::are_messages(payload, expect_.node_count) ? &peer : nullptr;
}

/// Owns the packet from here on.
inline void Niu::process(const Vetted& frame, rte_mbuf* packet) noexcept {
    Peer& peer = *frame.peer;
    const wire::StreamFields& fields = frame.fields;
    peer.heard = now_;
    on_acknowledgement(peer, fields.ack, fields.selective, fields.credit);
    on_data(peer, fields.sequence, packet);
}

void Niu::process_with_care(rte_mbuf* packet) noexcept {
    const wire::Decoded frame = packet->nb_segs == 1
                                    ? wire::decode(runtime::Packet::bytes_of(packet), expect_)
                                    : wire::decode_apart(runtime::Packet::bytes_of(packet),
                                                         runtime::Packet::bytes_of(packet->next), expect_);
    if (!frame) [[unlikely]] {
        if (frame.reason == wire::Reject::kNotOurs && on_arp(packet)) return rte_pktmbuf_free(packet);
        counters_.rejected[static_cast<std::size_t>(frame.reason)].add();
        if (frame.reason >= wire::Reject::kBadLength) on_damaged(frame.header, packet);
        rte_pktmbuf_free(packet);
        return;
    }
    Peer& peer = peers_[frame.header.source];
    switch (frame.header.kind) {
        case wire::Kind::kData:
        case wire::Kind::kAck:
        case wire::Kind::kCredit:
        case wire::Kind::kCreditRequest:
            return on_stream_frame(peer, frame, packet);
        case wire::Kind::kHello:
        case wire::Kind::kHelloAck:
            on_hello(peer, frame, packet);
            break;
        case wire::Kind::kBye:
            if (belongs(peer, frame.header, packet)) on_bye(peer, frame.header);
            break;
        case wire::Kind::kToken:
            on_token_frame(frame, packet);
            break;
        case wire::Kind::kView:
            on_view_frame(frame, packet);
            break;
        case wire::Kind::kProbe:
            break;
    }
    rte_pktmbuf_free(packet);
}

/// A frame whose header is right, but not what it carries. If it was here before, its sender is told so all
/// the same: where packets are handed over, what comes again is what its receiver has made of it.
void Niu::on_damaged(const wire::Header& header, const rte_mbuf* packet) noexcept {
    Peer& peer = peers_[header.source];
    if (header.kind != wire::Kind::kData || peer.state != PeerState::kUp || !is_of(peer, header) ||
        !stations_.comes_from(packet, {header.source, peer.mac}) ||
        !before(header.sequence, peer.in.expected()))
        return;
    peer.ack_now = true;
    touch(peer);
}

/// Whether the frame is between the two incarnations that talk to each other, and comes from where its sender
/// has presented itself.
bool Niu::belongs(const Peer& peer, const wire::Header& header, const rte_mbuf* packet) noexcept {
    const bool known = peer.state == PeerState::kUp || peer.state == PeerState::kHeard;
    if (known && is_of(peer, header)) [[likely]] {
        if (stations_.comes_from(packet, {header.source, peer.mac})) [[likely]]
            return true;
        refuse_source();
        return false;
    }
    if (known && options_.planted.any_epoch) [[unlikely]]
        return true;
    refuse(peer);
    return false;
}

/// A frame of another incarnation; or of a node that has no NIU, as token managers have none.
void Niu::refuse(const Peer& peer) noexcept {
    if (is_peer(peer)) return counters_.stale_epoch.add();
    refuse_source();
}

void Niu::refuse_source() noexcept {
    counters_.rejected[static_cast<std::size_t>(wire::Reject::kBadSource)].add();
}

void Niu::on_stream_frame(Peer& peer, const wire::Decoded& frame, rte_mbuf* packet) noexcept {
    const wire::Header& header = frame.header;
    if (!belongs(peer, header, packet)) [[unlikely]] {
        rte_pktmbuf_free(packet);
        return;
    }
    if (peer.state == PeerState::kHeard) [[unlikely]]
        come_up(peer);
    peer.heard = now_;
    on_acknowledgement(peer, header.ack, header.selective, header.credit);
    if (header.kind == wire::Kind::kData) return on_data(peer, header.sequence, packet);
    rte_pktmbuf_free(packet);
    if (header.kind == wire::Kind::kCreditRequest) {
        peer.ack_now = true;
        touch(peer);
    }
}

void Niu::on_acknowledgement(Peer& peer, Sequence ack, std::uint64_t selective,
                             std::uint32_t credit) noexcept {
    if (peer.out.knows(ack, selective) && credit == peer.allowance.limit()) {
        if (peer.rtt.backed_off() != 0) [[unlikely]]
            peer.come_twice = true;
        return;
    }
    const auto acknowledged = peer.out.acknowledge(ack, selective, now_);
    if (!acknowledged.possible) [[unlikely]] {
        counters_.impossible_ack.add();
        return;
    }
    kept_ -= acknowledged.packets;
    peer.ahead.pass(peer.out.first());
    if (acknowledged.news) {
        // Where frames come twice, they are only waited for too impatiently: until one that was sent once
        // arrives, the wait stays as long as it has become (Karn).
        if (acknowledged.rtt || !peer.come_twice) peer.rtt.answered();
        if (acknowledged.rtt) {
            peer.rtt.sample(*acknowledged.rtt);
            peer.come_twice = false;
        }
        peer.resend_at = peer.out.in_flight() ? now_ + peer.rtt.timeout() : Time::max();
        if (peer.resend_at != Time::max()) arm(peer, peer.resend_at);  // it may have backed off before
        peer.room.arrived(acknowledged.frames);
        if (before(peer.out.first(), peer.in_doubt)) [[unlikely]]
            mend_on(peer, acknowledged);
    }
    if (selective != 0) [[unlikely]]
        recover(peer);
    if (peer.allowance.raise(credit) && peer.stalled) {
        peer.stalled = false;
        peer.ask_at = Time::max();
        peer.rtt.answered();
    }
    if (!peer.transfers.empty() || peer.out.has_unsent()) touch(peer);
}

inline void Niu::on_data(Peer& peer, Sequence sequence, rte_mbuf* packet) noexcept {
    const bool gap = peer.in.early() != 0;
    Arrival arrival = peer.in.accept(sequence, packet, peer.grant.limit());
    if (arrival == Arrival::kDuplicate && options_.planted.deliver_duplicates && !frames_.full()) [[unlikely]]
        return hand_up(peer, packet);
    switch (arrival) {
        case Arrival::kInOrder:
            hand_up(peer, packet);
            while (rte_mbuf* next = peer.in.take())
                hand_up(peer, next);
            break;
        case Arrival::kEarly:
            counters_.early.add();
            if (options_.planted.deliver_early && !frames_.full()) [[unlikely]] {
                rte_pktmbuf_refcnt_update(packet, 1);
                hand_up(peer, packet);
            }
            break;
        case Arrival::kDuplicate:
            counters_.duplicates.add();
            if (!options_.planted.leak_duplicates) [[likely]]
                rte_pktmbuf_free(packet);
            break;
        case Arrival::kBeyond:
            counters_.beyond_credit.add();
            rte_pktmbuf_free(packet);
            break;
    }
    // Anything out of the ordinary is told at once, so that the sender mends it soon.
    if (gap || arrival != Arrival::kInOrder || ++peer.unacked >= options_.ack_every) {
        peer.ack_now = true;
        touch(peer);
    } else if (peer.ack_at == Time::max()) {
        peer.ack_at = now_ + options_.ack_delay;
        arm(peer, peer.ack_at);
    }
}

inline void Niu::hand_up(Peer& peer, rte_mbuf* packet) noexcept {
    const std::byte* payload = rte_pktmbuf_mtod_offset(packet, const std::byte*, overhead_);
    const std::size_t length = wire::frame_layout::PayloadLength::get(payload - wire::kHeaderSize);
    const std::byte* apart =
        packet->nb_segs == 1 ? nullptr : rte_pktmbuf_mtod(packet->next, const std::byte*);
    frames_.push(packet, {payload, length}, apart, peer.node);
    ++peer.held;
    counters_.frames_received.add();
}

bool Niu::continues_fragments(Peer& peer, const wire::MessageHeader& header, Received& received) noexcept {
    const std::uint32_t extension = wire::is_ordered(header.protocol) ? wire::kIsotachSize : 0;
    const std::uint32_t data = header.length - extension;
    Assembly& assembly = peer.assembly;
    if ((header.fragment & wire::kFirstFragment) != 0) {
        if (assembly.size != 0) return false;
        assembly = {header.size_or_offset, 0};
    } else if (header.size_or_offset != assembly.offset || data > assembly.size - assembly.offset) {
        return false;
    }
    received.size = assembly.size;
    received.offset = assembly.offset;
    assembly.offset += data;
    if (assembly.offset == assembly.size) assembly = {};
    return true;
}

}  // namespace isoplane::niu
