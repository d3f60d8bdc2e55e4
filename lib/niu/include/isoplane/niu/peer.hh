// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <isoplane/wire/datagram.hh>
#include <isoplane/wire/frame.hh>
#include <isoplane/wire/message.hh>
#include <isoplane/wire/stream_header.hh>
#include <memory>
#include <span>

#include <isoplane/niu/ahead.hh>
#include <isoplane/niu/credit.hh>
#include <isoplane/niu/lent.hh>
#include <isoplane/niu/options.hh>
#include <isoplane/niu/receive_window.hh>
#include <isoplane/niu/room.hh>
#include <isoplane/niu/rtt.hh>
#include <isoplane/niu/send_window.hh>
#include <isoplane/runtime/fifo.hh>

namespace isoplane::niu {

enum class PeerState : std::uint8_t {
    kUnknown,  ///< not heard of yet
    kHeard,    ///< it has presented itself; whether it knows us is open
    kUp,       ///< both know each other: messages flow
    kDead,     ///< silent for too long, while up
};

/// The frame to a peer that messages are being written into. Not in the window yet.
struct OpenFrame {
    rte_mbuf* packet = nullptr;
    std::byte* at = nullptr;      ///< where the next message begins
    std::byte* end = nullptr;     ///< of the room for messages
    std::byte* run = nullptr;     ///< where the last message ends, if one may follow it in a run
    std::byte* summed = nullptr;  ///< how far the payload's checksum has come,
    std::uint32_t crc = 0;        ///< and what it is there
    Origin origin = Origin::kOurs;

    std::size_t room() const noexcept { return static_cast<std::size_t>(end - at); }
    bool may_be_followed() const noexcept { return run == at; }
};

/// A large message that waits: the part of it that is not in frames yet.
struct Transfer {
    std::span<const std::byte> rest{};
    std::uint32_t size = 0;
    Sequence last = 0;  ///< its ticket's: what is sent after it goes after it, or is not counted
    wire::Protocol protocol{};
    Memory::Region* memory = nullptr;     ///< if it is registered
    bool by_reference = false;            ///< frames refer to that memory; else it is copied into them
    std::shared_ptr<std::byte[]> copy{};  ///< of what the user could not leave where it was
};

/// How far the large message that is coming in has come.
struct Assembly {
    std::uint32_t size = 0;    ///< 0: none
    std::uint32_t offset = 0;  ///< of the next fragment
};

/// All that is known about one other node.
struct Peer {
    Peer(NodeId its_node, NodeId its_place, const Options& options, std::uint32_t credit, Parting& parting,
         Lent& lent)
        : node(its_node),
          place(its_place),
          out(options.window, parting, &lent),
          in(options.window),
          grant(credit),
          rtt(options.timeout),
          room(options.window) {}

    using Time = runtime::Time;

    /// All that was sent to it has arrived.
    bool sent_all() const noexcept { return out.empty() && open.packet == nullptr && transfers.empty(); }

    NodeId node;
    NodeId place;  ///< among the peers of its NIU
    PeerState state = PeerState::kUnknown;
    bool touched = false;           ///< on the list of those with something to send
    bool ack_now = false;           ///< tell it at the next opportunity what has arrived
    bool ask_now = false;           ///< have it tell us
    bool stalled = false;           ///< a message waits for credit
    bool manages = false;           ///< it is the token manager of its switch, too
    std::uint16_t max_payload = 0;  ///< what fits a frame, on both sides
    unsigned unacked = 0;           ///< data frames received since we last acknowledged
    std::uint32_t granted = 0;      ///< the most credit that it gives us at once
    std::uint32_t reserve = 0;      ///< of its credit: the frames that only urgent messages may use
    wire::Header header{};          ///< of frames to it: what stays the same is filled in
    wire::StreamHeader outgoing{};  ///< of data frames to it
    wire::StreamHeader incoming{};  ///< of data frames from it, while it is up

    OpenFrame open{};
    runtime::Fifo<Transfer> transfers;  ///< nothing else is sent while one waits
    Sequence transfers_end = 0;         ///< behind the number that the last of them will end with
    Ahead ahead;                        ///< of those that wait
    Time others_until{};                ///< no transfer is taken before: others have been kept waiting
    SendWindow out;
    Allowance allowance;
    ReceiveWindow in;
    Grant grant;
    RttEstimator rtt;
    RoomEstimator room;
    Sequence in_doubt = 0;    ///< frames before it may all be lost if they were sent no later than timed_out
    bool come_twice = false;  ///< it says again what it has said, since it was waited for in vain
    Time timed_out{};         ///< when nothing had been heard of frames for too long
    Assembly assembly{};

    Time ack_at = Time::max();      ///< unless something else has carried it before
    Time resend_at = Time::max();   ///< in flight for too long
    Time recover_at = Time::max();  ///< look again for frames that have been overtaken
    Time ask_at = Time::max();      ///< no credit and nothing under way that would bring some
    Time silent_at = Time::max();   ///< ask whether it is alive, and in the end believe it is not
    Time heard{};                   ///< when it last sent us anything
    Time doubted = Time::max();     ///< since when somebody says that it has restarted
    Time asked{};                   ///< the last question whether it lives
    unsigned unanswered = 0;        ///< questions since it was heard

    std::uint32_t epoch = 0;   ///< 0 before we have heard of it
    std::uint32_t proven = 0;  ///< the last epoch in which it was up: none before it will be again
    std::uint32_t ended = 0;   ///< the last epoch in which it was lost
    Sequence ended_at = 0;     ///< the number of the first frame of it that it had not acknowledged
    wire::MacAddress mac = wire::kBroadcastMac;
    unsigned held = 0;           ///< frames from it in users' hands
    bool bye_received = false;   ///< it has closed, and everything it sent is here
    bool bye_confirmed = false;  ///< it knows the same of us
    Time bye_heard{};
    wire::Datagram datagrams_out{};  ///< where frames travel in UDP, what is in front of those to it,
    wire::Datagram datagrams_in{};   ///< and of those from it
};

}  // namespace isoplane::niu
