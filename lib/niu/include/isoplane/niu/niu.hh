// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Messages between the nodes of a job over one link: each arrives once, in order per pair of nodes, intact,
/// whatever the network loses, repeats, reorders or damages; and is not copied on its way.
///
/// - Everything is called by the thread that polls the stage, and nothing waits: a call that cannot go on
///   says so, and the caller polls and tries again.
/// - What the other side has not acknowledged is kept; what a user has not released costs its sender credit.
/// - A peer that restarts, or is silent for too long, is lost: state() says so and calls towards it fail.
///
/// doc/niu.md describes the protocol and all that can be set.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <isoplane/wire/arp.hh>
#include <isoplane/wire/frame.hh>
#include <isoplane/wire/isotach.hh>
#include <isoplane/wire/message.hh>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <isoplane/niu/copy_words.hh>
#include <isoplane/niu/counters.hh>
#include <isoplane/niu/frame_table.hh>
#include <isoplane/niu/memory.hh>
#include <isoplane/niu/options.hh>
#include <isoplane/niu/packets.hh>
#include <isoplane/niu/peer_table.hh>
#include <isoplane/niu/stations.hh>
#include <isoplane/niu/ticket.hh>
#include <isoplane/niu/timer_wheel.hh>
#include <isoplane/niu/token_port.hh>
#include <isoplane/runtime/backlog.hh>
#include <isoplane/runtime/poll_watch.hh>
#include <isoplane/runtime/pool.hh>
#include <isoplane/runtime/stage.hh>

namespace isoplane::niu {

/// Room for a message inside the packet that will carry it. Forgetting it is harmless.
struct SendBuffer {
    std::span<std::byte> data{};  ///< may be made shorter at its end before it is sent
    NodeId to = 0;
    wire::Protocol protocol{};
    bool granted = false;
    std::uint32_t epoch = 0;  ///< of the receiver: another one than before when it has started again

    explicit operator bool() const noexcept { return granted; }
};

/// What a message may use of a peer's credit. The last of it is for messages that have to arrive while the
/// receiver does not take what came before: those of the protocols' own bookkeeping, and answers, which are
/// released as soon as they are received.
enum class Urgency : std::uint8_t {
    kOrdinary,
    kUrgent,
    kAhead,  ///< urgent, and not held up by large messages that wait; of an ordered protocol
};

/// Frames of urgent messages that may be under way to a peer when there is no credit, or packet, for others.
inline constexpr std::uint32_t kMostUrgent = 4;

/// Up to here a copy of a message into a frame that others share costs less than a frame of its own.
inline constexpr std::size_t kWorthCopying = 256;

/// A message, or a fragment of one that did not fit a frame; of a protocol without extension, fragments of a
/// message follow each other. Its
/// data is in the packet it came in, until it is released.
struct Received {
    NodeId source = 0;
    wire::Protocol protocol{};
    bool alone = false;        ///< nothing else is in its packet
    std::uint32_t size = 0;    ///< of the whole message; not counting the extension of ordered protocols
    std::uint32_t offset = 0;  ///< of this part in it
    std::uint32_t step = 0;    ///< in a run, where it has no extension; else 0
    FrameTable::Id frame = 0;
    std::span<const std::byte> data{};  ///< with the extension, in ordered protocols out of a run
    rte_mbuf* packet = nullptr;         ///< in which the data is

    bool whole() const noexcept { return offset == 0 && data.size() >= size; }

    /// A reference to the packet, for who wants the data to stay when the message has been released: so it
    /// costs its sender no credit. Only before that.
    runtime::Packet share() const noexcept {
        rte_pktmbuf_refcnt_update(packet, 1);
        return runtime::Packet(packet);
    }
};

/// What has not been received of a frame.
struct Unread {
    NodeId source = 0;
    FrameTable::Id frame = 0;
    std::span<const std::byte> messages{};  ///< well formed, with their headers
};

/// The messages in front of that, whole ones, whose user has them now, or is done with them.
struct Taken {
    unsigned messages = 0;
    unsigned held = 0;      ///< of these
    std::size_t bytes = 0;  ///< with their headers
};

/// Who can say again, elsewhere, what a lost peer may not have heard.
class LossListener {
  public:
    virtual ~LossListener() = default;
    /// A whole message of a protocol without extension, which may have arrived or not. They come in the order
    /// in which they were sent, when the peer is lost.
    virtual void unacknowledged(NodeId to, wire::Protocol protocol,
                                std::span<const std::byte> message) noexcept = 0;
};

class Niu final : public runtime::Stage {
  public:
    using Time = runtime::Time;

    /// `pool` has packets with room for the MTU, and is what the link receives into. At most
    /// three eighths of it are ever used for what is sent, and as many granted to peers. Throws
    /// std::invalid_argument for options that cannot be.
    Niu(std::string name, runtime::Input& from, runtime::Output& to, runtime::Pool& pool, Options options);
    ~Niu() override;

    [[gnu::hot]] unsigned poll(Time now) override;
    void set_quiet(bool quiet) override { quiet_ = quiet; }
    std::size_t held() const override;
    std::size_t discard() override;
    void describe(nlohmann::json& out) const override;
    void clear_counters() override;

    // Sending.

    /// Room for a message of `size` bytes, at most max_message(to). Write it and send() it before anything
    /// else is called here. Empty when the peer is not up, or when nothing can be sent to it now: it has no
    /// room, the window or the pool is used up, or a transfer waits that this does not go ahead of.
    SendBuffer buffer(NodeId to, wire::Protocol protocol, std::size_t size,
                      Urgency urgency = Urgency::kOrdinary) noexcept {
        Peer& peer = peers_[to];
        if (!has_room(peer, wire::kMessageHeaderSize + size, urgency)) return {};
        return {{peer.open.at + wire::kMessageHeaderSize, size}, to, protocol, true, peer.epoch};
    }
    /// Adds a message to the frame that messages to that node share now, if there is one that it fits, and
    /// returns where its `size` bytes are to be written at once; nullptr otherwise.
    std::byte* add_to_open(NodeId to, wire::Protocol protocol, std::size_t size) noexcept {
        return open_room(to) < wire::kMessageHeaderSize + size ? nullptr : add(peers_[to], protocol, size);
    }
    void send(const SendBuffer& buffer) noexcept {
        Peer& peer = peers_[buffer.to];
        assert(buffer.data.data() == peer.open.at + wire::kMessageHeaderSize);
        add_message(peer, buffer.protocol, buffer.data.size());
        if (!options_.coalesce) close_alone(peer);
    }
    /// The same of a buffer whose end is to be a copy of `rest`; what is in front of that has been written.
    void send(const SendBuffer& buffer, std::span<const std::byte> rest) noexcept {
        Peer& peer = peers_[buffer.to];
        assert(buffer.data.data() == room_in(peer));
        send(peer, buffer.protocol, buffer.data.size(), rest);
    }

    // The same for who has to do with one peer several times: to whom, if buffer() would have such room;
    Peer* with_room(NodeId to, std::size_t size) noexcept {
        Peer& peer = peers_[to];
        return has_room(peer, wire::kMessageHeaderSize + size, Urgency::kOrdinary) ? &peer : nullptr;
    }
    /// where that is, until anything else is called here,
    static std::byte* room_in(const Peer& peer) noexcept { return peer.open.at + wire::kMessageHeaderSize; }
    /// and all of it.
    void send(Peer& peer, wire::Protocol protocol, std::size_t size,
              std::span<const std::byte> rest) noexcept {
        assert(peer.open.room() >= wire::kMessageHeaderSize + size);
        add_message(peer, protocol, size);
        copy_to_end(peer, rest);
        if (!options_.coalesce) close_alone(peer);
    }

    // Messages of an ordered protocol in a run: the next one to that node, if it comes right behind.

    /// The message to that node that was sent last, of an ordered protocol, may be followed.
    static void begin_run(Peer& peer) noexcept { peer.open.run = peer.open.at; }
    /// To whom, if the last message in the open frame to that node is such a one, and there is room for so
    /// many bytes.
    Peer* in_run(NodeId to, std::size_t size) noexcept {
        Peer& peer = peers_[to];
        const bool has_room = peer.open.room() >= wire::kMessageHeaderSize + size;
        return peer.open.may_be_followed() && has_room ? &peer : nullptr;
    }
    /// A message behind it, of any protocol: returns where its `size` bytes are to be written at once.
    std::byte* add(Peer& peer, wire::Protocol protocol, std::size_t size) noexcept {
        assert(peer.open.room() >= wire::kMessageHeaderSize + size);
        std::byte* const at = room_in(peer);
        add_message(peer, protocol, size);
        return at;
    }
    /// One that follows, which may be followed.
    void send_in_run(Peer& peer, wire::Protocol protocol, std::uint32_t step,
                     std::span<const std::byte> message) noexcept {
        add_message(peer, {protocol, wire::kInRun, static_cast<std::uint16_t>(message.size()), step});
        copy_to_end(peer, message);
        peer.open.run = peer.open.at;
    }

    /// Copies a message of at most max_message(to). False as buffer() is empty.
    bool send(NodeId to, wire::Protocol protocol, std::span<const std::byte> message) noexcept;

    /// Sends the data of a packet of the pool given above, at most max_message(to) of a protocol without
    /// extension. Takes the packet, unless it returns false as buffer() is empty. Nothing is copied, but
    /// when it is so small that it had better share a frame. Who has another reference to the packet finds
    /// the data as it was, but not where the packet begins.
    bool send(NodeId to, wire::Protocol protocol, runtime::Packet& packet) noexcept;
    /// By which to ask for the state() of what was sent to that node last.
    Ticket last_sent(NodeId to) const noexcept {
        const Peer& peer = peers_[to];
        const Sequence last = peer.out.next() - (peer.open.packet == nullptr ? 1 : 0);
        return {to, peer.epoch, peer.ahead.number(last)};
    }

    /// Sends a message of any size below 4 GB, of a protocol without extension, from memory that must stay as
    /// it is while kWaiting: until all of it is in frames, as what takes few and has room in the window is at
    /// once. Those to one peer wait in the order in which they were sent, Options::transfers of them at the
    /// most, and what is sent to it after them is refused until they are in frames. The ticket says why when
    /// it is not taken.
    ///
    /// One in registered memory is not copied but when it fits a frame, or the link cannot send it from
    /// there; that has to stay as it is while Memory::busy(), which is longer.
    Ticket transfer(NodeId to, wire::Protocol protocol, std::span<const std::byte> message,
                    Memory::Region* memory = nullptr) noexcept {
        if (goes_at_once(peers_[to], message) && send(to, protocol, message)) [[likely]]
            return last_sent(to);
        return transfer_in_turn(to, protocol, message, memory);
    }
    Ticket transfer(NodeId to, wire::Protocol protocol, std::span<const std::byte> message,
                    const Memory& memory) noexcept {
        return transfer(to, protocol, message, memory.region());
    }
    /// What has become of a message that was taken: in its receiver's present life or the last. Of an earlier
    /// one, all count as lost.
    TransferState state(const Ticket& ticket) const noexcept;
    /// Its memory goes: copies what of it is not in frames yet.
    void keep_copy(const Ticket& ticket);
    /// Whether any waits for that peer.
    bool transferring(NodeId to) const noexcept { return !peers_[to].transfers.empty(); }

    // Messages that are to go together or not at all: what they take is found out first (may_send() for each
    // node), and set aside; then each buffer() is granted. What was set aside and not used is put back.

    /// What is left of the frame that messages to that node share now.
    std::size_t open_room(NodeId to) const noexcept { return options_.coalesce ? peers_[to].open.room() : 0; }
    /// The most frames that could ever be opened to that node one after the other.
    unsigned most_frames(NodeId to) const noexcept;
    /// The most frames, to whomever, that could ever be kept at once.
    unsigned most_kept() const noexcept { return most_kept_; }
    /// Whether so many new frames could be opened to that node, one after the other.
    bool may_send(NodeId to, unsigned frames) noexcept;
    /// Room in the pool for so many new frames, of which `ready` are packets that there are already.
    bool set_aside(unsigned frames, unsigned ready) noexcept;
    void put_back() noexcept;
    /// Packets of the pool that its user keeps until it says so count as those that are sent: what is left is
    /// for what others send.
    void keep(unsigned packets) noexcept { kept_ += packets; }
    void let_go(unsigned packets) noexcept { kept_ -= packets; }

    /// The largest message that fits a frame to that peer; 0 before it is known.
    std::size_t max_message(NodeId to) const noexcept {
        const std::uint16_t payload = peers_[to].max_payload;
        return payload > wire::kMessageHeaderSize ? payload - wire::kMessageHeaderSize : 0;
    }

    /// Who outlives the NIU, or is replaced with nullptr.
    void listen_to_losses(LossListener* listener) noexcept { losses_ = listener; }

    // Receiving.

    /// Whether there is something to receive.
    bool has_received() const noexcept { return frames_.front() != nullptr; }
    /// The next message, or fragment, from any peer. False when there is none.
    [[gnu::hot]] bool receive(Received& received) noexcept;
    /// For who takes several messages at once, as they stand in a frame: the next one and what comes behind
    /// it, if it is in one piece with its header. Only when something has been received.
    Unread unread() const noexcept {
        const ReceivedFrame& frame = *frames_.front();
        if (frame.apart != nullptr) return {};
        return {.source = frame.source, .frame = frame.id, .messages = {frame.unread, frame.left}};
    }
    /// As if these had been received; each that is held is to be released.
    void take(const Taken& taken) noexcept {
        counters_.messages_received.add(taken.messages);
        ReceivedFrame& frame = *frames_.front();
        if (taken.bytes == frame.left && taken.held != 0) [[likely]] {
            frame.holds += taken.held - 1;  // the last of them has the hold of who reads the frame
            return frames_.pop();
        }
        frame.holds += taken.held;
        pass(frame, taken.bytes);
    }
    /// When the user is done with it; in any order. The last of its frame returns a credit.
    void release(const Received& received) noexcept { release_hold(frames_[received.frame]); }
    /// It is about to be released: on a link of rings its sender may have written to its packet since it
    /// came.
    void prefetch_release(FrameTable::Id frame) const noexcept { frames_.prefetch(frame); }

    // Tokens of logical time. They belong to no stream: who sends them sees to what is lost.

    /// Tokens for `node`, this one or a token manager beside it, go to `receiver`, which outlives the NIU or
    /// is detached with nullptr.
    void attach(NodeId node, TokenReceiver* receiver);
    /// Entries that fit one part of a token.
    std::size_t token_capacity() const noexcept;
    /// Sends a part of a token from this node or the one beside it. False when it cannot be now.
    bool send_token(const TokenAddress& address, const wire::Token& token,
                    std::span<const wire::TokenEntry> entries) noexcept;
    /// Has messages about views given to `receiver`, which outlives the NIU or is replaced with nullptr.
    void attach(ViewReceiver* receiver) noexcept { token_nodes_.views = receiver; }
    /// Sends one from this node, in as many frames as it takes. What cannot go now goes with the next polls,
    /// in the order in which it was said, but for a message of which nothing has gone when there is another
    /// one to that node.
    void send_view(NodeId to, const wire::ViewMessage& message) noexcept;
    /// From here on tokens for the token manager go to where `player` is: a host, or itself.
    void set_player(NodeId manager, NodeId player) { token_nodes_.set_player(manager, player); }
    /// Has tokens sent since the last poll go now.
    void push_out() noexcept;
    /// Has what was sent since the last poll go now, and tokens with it, rather than with the next poll.
    void flush() noexcept {
        if (touched_.empty()) return;
        prepare_tokens();
        send_waiting();
    }

    /// Frames that each peer may have sent here that are not released.
    std::uint32_t credit() const noexcept { return credit_; }

    // Membership.

    PeerState state(NodeId node) const noexcept { return peers_[node].state; }
    /// Gives that peer up, in its present life, as if it had been silent for too long.
    void give_up(NodeId node) noexcept;
    bool all_up() const noexcept;
    /// A sentence with the names of the nodes that have not been found within the limit; empty before that,
    /// and when all have.
    std::string missing() const;

    /// Leaves the job as soon as all that was sent has arrived and all peers do the same. From here on
    /// nothing can be sent.
    void close() noexcept;
    /// The same, but whatever the others do; they know then that it has left.
    void leave() noexcept;
    /// All have left, or the limit has passed.
    bool closed() const noexcept { return closed_; }
    /// A sentence with the names of peers that did not close within the limit; empty when all did.
    std::string left_open() const;

    Time now() const noexcept { return now_; }  ///< of the last poll
    const Options& options() const noexcept { return options_; }
    const Counters& counters() const noexcept { return counters_; }
    const Peer& peer(NodeId node) const noexcept { return peers_[node]; }

  private:
    // niu.cc: what comes in.
    template <wire::Transport transport>
    [[gnu::hot]] void receive_burst(std::span<rte_mbuf* const> packets) noexcept;
    void receive_datagrams(std::span<rte_mbuf* const> packets) noexcept;
    struct Vetted;
    void process(const Vetted& frame, rte_mbuf* packet) noexcept;
    void process_with_care(rte_mbuf* packet) noexcept;
    bool belongs(const Peer& peer, const wire::Header& header, const rte_mbuf* packet) noexcept;
    void refuse(const Peer& peer) noexcept;
    void refuse_source() noexcept;
    bool is_of(const Peer& peer, const wire::Header& header) const noexcept {
        return header.epoch == peer.epoch && header.peer_epoch == static_cast<std::uint16_t>(options_.epoch);
    }
    void on_damaged(const wire::Header& header, const rte_mbuf* packet) noexcept;
    void on_stream_frame(Peer& peer, const wire::Decoded& frame, rte_mbuf* packet) noexcept;
    template <wire::Transport transport>
    Peer* sender_of(const rte_mbuf* packet, wire::StreamFields& fields) noexcept;
    [[gnu::hot]] void on_acknowledgement(Peer& peer, Sequence ack, std::uint64_t selective,
                                         std::uint32_t credit) noexcept;
    void on_data(Peer& peer, Sequence sequence, rte_mbuf* packet) noexcept;
    void hand_up(Peer& peer, rte_mbuf* packet) noexcept;
    /// So much of the front frame has been read.
    void pass(ReceivedFrame& frame, std::size_t bytes) noexcept {
        if (bytes != frame.left) return frame.skip(bytes);
        frames_.pop();
        release_hold(frame);
    }
    bool continues(Peer& peer, const wire::MessageHeader& header, Received& received) noexcept;
    bool continues_fragments(Peer& peer, const wire::MessageHeader& header, Received& received) noexcept;
    [[gnu::hot]] void release_hold(ReceivedFrame& frame) noexcept {
        if (!frames_.release(frame)) return;
        Peer& peer = peers_[frame.source];
        --peer.held;
        if (options_.planted.keep_credit) [[unlikely]]
            return;
        peer.grant.release();
        if (peer.grant.worth_telling()) touch(peer);
    }

    // tokens.cc: logical time.
    void on_token_frame(const wire::Decoded& frame, const rte_mbuf* packet) noexcept;
    void send_views() noexcept;
    bool send_view_part(NodeId to, const wire::ViewMessage& part) noexcept;
    void on_view_frame(const wire::Decoded& frame, const rte_mbuf* packet) noexcept;
    void take_own_tokens() noexcept;
    void learn(NodeId node, const rte_mbuf* packet) noexcept;
    unsigned prepare_tokens() noexcept {
        unsigned n = 0;
        if (!token_nodes_.own.empty()) [[unlikely]]
            take_own_tokens();
        for (const TokenNode& here : token_nodes_.here)
            n += here.receiver->before_sending(now_);
        return n;
    }

    // send.cc: messages into frames.
    void wait_for_credit(Peer& peer) noexcept;
    bool may_open(Peer& peer, Urgency urgency = Urgency::kOrdinary) noexcept;
    rte_mbuf* new_frame(Peer& peer, Urgency urgency = Urgency::kOrdinary) noexcept;
    [[gnu::hot]] bool open_frame(Peer& peer, Urgency urgency) noexcept;
    [[gnu::hot]] bool make_room(Peer& peer, std::size_t bytes, Urgency urgency) noexcept;
    bool make_room_ahead(Peer& peer, std::size_t bytes) noexcept;
    void close_alone(Peer& peer) noexcept;  ///< where messages share no frames
    /// Room for so many bytes in the frame that is open, or in a new one.
    bool has_room(Peer& peer, std::size_t bytes, Urgency urgency) noexcept {
        return peer.open.room() >= bytes || make_room(peer, bytes, urgency);
    }
    /// The message whose `size` bytes stand behind the place of its header, in the frame that is open.
    void add_message(Peer& peer, wire::Protocol protocol, std::size_t size) noexcept {
        const std::size_t extension = wire::is_ordered(protocol) ? wire::kIsotachSize : 0;
        add_message(peer, {protocol, wire::kWholeMessage, static_cast<std::uint16_t>(size),
                           static_cast<std::uint32_t>(size - extension)});
    }
    void add_message(Peer& peer, const wire::MessageHeader& header) noexcept {
        wire::encode_message(
            std::span<std::byte, wire::kMessageHeaderSize>(peer.open.at, wire::kMessageHeaderSize), header);
        peer.open.at += wire::kMessageHeaderSize + header.length;
        runtime::prefetch_to_write(std::min(peer.open.at + kWrittenAhead, peer.open.end));
        counters_.messages_sent.add();
    }
    /// Of the message added last. What is worth a pass of its own has its checksum on the way: reading it
    /// back would wait until all stores so far have got the lines that they go to.
    void copy_to_end(Peer& peer, std::span<const std::byte> rest) noexcept {
        if (rest.size() >= kWorthSumming) return copy_summed(peer, rest);
        std::byte* const to = peer.open.at - rest.size();
        if (rest.size() <= kFewBytes) return copy_words(to, rest);
        std::memcpy(to, rest.data(), rest.size());
    }
    [[gnu::hot]] void copy_summed(Peer& peer, std::span<const std::byte> rest) noexcept;
    static constexpr std::size_t kWorthSumming = 256;
    static constexpr std::size_t kWrittenAhead = 512;
    static constexpr std::size_t kFewBytes = 32;
    bool send_alone(Peer& peer, wire::Protocol protocol, std::span<const std::byte> message) noexcept;
    void fill_frame(Peer& peer, rte_mbuf* packet, const wire::MessageHeader& header,
                    std::span<const std::byte> part) noexcept;
    bool pool_share_used(const Peer& peer, Urgency urgency) const noexcept {
        if (kept_ + lent_.packets() < most_kept_) [[likely]]
            return false;
        return urgency == Urgency::kOrdinary || peer.out.size() >= kMostUrgent;
    }
    [[gnu::hot]] void close_frame(Peer& peer) noexcept;
    /// As any other message: it fits a frame, and nothing waits.
    bool goes_at_once(const Peer& peer, std::span<const std::byte> message) const noexcept {
        return message.size() <= max_message(peer.node) && peer.transfers.empty();
    }
    Ticket transfer_in_turn(NodeId to, wire::Protocol protocol, std::span<const std::byte> message,
                            Memory::Region* memory) noexcept;
    bool may_refer_to(const Memory::Region& memory) const noexcept;
    Refusal refusal(const Peer& peer) const noexcept;
    bool must_wait(Peer& peer) noexcept;
    bool add_fragment(Peer& peer) noexcept;
    void end_transfer(Peer& peer) noexcept;
    bool refer_to_fragment(Peer& peer, rte_mbuf* packet, const wire::MessageHeader& header,
                           std::span<const std::byte> part) noexcept;
    bool pump(Peer& peer) noexcept;

    // transmit.cc: frames out.
    bool serve(Peer& peer) noexcept;
    [[gnu::noinline]] void serve_transfers(Peer& peer) noexcept;
    [[gnu::hot]] void serve_touched() noexcept;
    /// All that is ready to leave.
    void send_waiting() noexcept {
        if (!touched_.empty()) serve_touched();
        if (out_count_ != 0) push_out();
    }
    bool transmit(Peer& peer) noexcept;
    template <wire::Transport transport>
    [[gnu::noinline, gnu::hot]] void transmit(Peer& peer) noexcept;
    wire::StreamFields tell(Peer& peer) noexcept;
    void restore(const SentFrame& frame) noexcept;
    rte_mbuf* copy_of(const SentFrame& frame) noexcept;
    bool resend(Peer& peer, Sequence sequence) noexcept;
    void recover(Peer& peer) noexcept;
    bool resend_lost(Peer& peer, Sequence sequence, Counters::Counter& counter) noexcept;
    bool resend_timed_out(Peer& peer, unsigned most) noexcept;
    void mend_on(Peer& peer, const SendWindow::Acknowledged& acknowledged) noexcept;
    void time_out(Peer& peer) noexcept;
    void on_timer(Peer& peer) noexcept;
    void check_silence(Peer& peer) noexcept;
    bool send_control(Peer& peer, wire::Kind kind, Sequence sequence) noexcept;
    void seal(rte_mbuf* packet, wire::Header& header, std::size_t size) noexcept;
    rte_mbuf* packet() noexcept {
        rte_mbuf* const m = stock_.take();
        if (m == nullptr) [[unlikely]]
            counters_.no_packets.add();
        return m;
    }
    /// Only while not blocked_.
    void emit(rte_mbuf* packet) noexcept {
        out_[out_count_++] = packet;
        if (out_count_ == out_.size()) push_out();
    }
    void touch(Peer& peer) noexcept;
    void arm(const Peer& peer, Time at) noexcept { wheel_.call(peer.place, at); }
    [[gnu::hot]] void rearm(const Peer& peer) noexcept;

    // membership.cc: who is there.
    void on_hello(Peer& peer, const wire::Decoded& frame, const rte_mbuf* packet) noexcept;
    void on_bye(Peer& peer, const wire::Header& header) noexcept;
    bool is_outlived(const Peer& peer, std::uint32_t epoch) const noexcept;
    void present(Peer& peer, const wire::Decoded& frame, const rte_mbuf* packet) noexcept;
    void address(Peer& peer) noexcept;
    void doubt(Peer& peer) noexcept;
    void come_up(Peer& peer) noexcept;
    void lose(Peer& peer, PeerState state) noexcept;
    std::size_t forget(Peer& peer) noexcept;
    void send_hello(const Station& to, wire::Kind kind, std::uint16_t peer_epoch = 0) noexcept;
    void send_hellos() noexcept;
    void skip(runtime::Duration stopped) noexcept;
    void tend_membership() noexcept;
    void tend_closing() noexcept;
    bool has_left(const Peer& peer) const noexcept;
    bool is_peer(const Peer& peer) const noexcept;
    void tell_unacknowledged(Peer& peer) noexcept;
    bool is_missing(const Peer& peer) const noexcept;

    // router.cc: who takes frames to other networks.
    void ask_for_router() noexcept;
    void send_arp(const wire::MacAddress& to, const wire::Arp& arp) noexcept;
    bool on_arp(rte_mbuf* packet) noexcept;
    void on_router() noexcept;

    Options options_;
    Stations stations_;
    wire::Expect expect_;
    runtime::Input& from_;
    runtime::Backlog to_;
    runtime::Pool& pool_;
    PacketStock stock_;

    Time now_{};
    runtime::Burst out_{};
    std::uint16_t out_count_ = 0;
    bool blocked_ = false;  ///< the output did not take everything; nothing more is sent before it has
    bool quiet_ = false;
    const bool in_udp_;             ///< frames travel in UDP
    const std::uint16_t overhead_;  ///< what stands in a packet in front of its payload
    Parting parting_;
    Lent lent_;
    std::uint32_t credit_;  ///< that each peer is given
    PeerTable peers_;       ///< whose windows refer to the two
    std::vector<Peer*> touched_;
    std::vector<rte_mbuf*> aside_;  ///< for frames that are about to be opened
    unsigned kept_ = 0;             ///< packets in all send windows, and open ones
    unsigned most_kept_;

    FrameTable frames_;

    TokenNodes token_nodes_;

    TimerWheel wheel_;
    Time membership_at_{};
    runtime::PollWatch watch_{options_.pause()};
    runtime::Duration hello_wait_;
    Time started_ = Time::min();  ///< of the first poll
    LossListener* losses_ = nullptr;

    bool closing_ = false;
    bool alone_ = false;  ///< it leaves, and the others do not
    bool closed_ = false;
    Time close_started_{};
    Time all_left_ = Time::max();

    Counters counters_;
};

inline bool Niu::receive(Received& received) noexcept {
    while (ReceivedFrame* const front = frames_.front()) {
        ReceivedFrame& frame = *front;
        const wire::MessageHeader header = wire::read_message_header(frame.unread);
        const std::size_t bytes = wire::kMessageHeaderSize + header.length;
        received.source = frame.source;
        if (!continues(peers_[frame.source], header, received)) [[unlikely]] {
            counters_.broken_message.add();
            pass(frame, bytes);
            continue;
        }
        const bool last = bytes == frame.left;
        received.protocol = header.protocol;
        received.step = header.fragment == wire::kInRun ? header.size_or_offset : 0;
        received.data = {frame.apart == nullptr ? frame.unread + wire::kMessageHeaderSize : frame.apart,
                         header.length};
        received.frame = frame.id;
        received.packet = frame.packet;
        received.alone = last && !frame.begun && frame.apart == nullptr;
        counters_.messages_received.add();
        if (last) {
            frames_.pop();  // the last message has the hold of who reads the frame
        } else {
            ++frame.holds;
            frame.skip(bytes);
        }
        return true;
    }
    return false;
}

/// Whether the message is whole, or the fragment that comes next; sets size and offset. Between fragments
/// comes what goes ahead.
inline bool Niu::continues(Peer& peer, const wire::MessageHeader& header, Received& received) noexcept {
    const bool in_run = header.fragment == wire::kInRun;
    if (header.fragment != wire::kWholeMessage && !in_run) [[unlikely]]
        return continues_fragments(peer, header, received);
    received.size = in_run ? header.length : header.size_or_offset;
    received.offset = 0;
    return peer.assembly.size == 0 || wire::is_ordered(header.protocol);
}

}  // namespace isoplane::niu
