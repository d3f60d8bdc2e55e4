// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/runtime/counter.hh>
#include <isoplane/wire/reject.hh>

#include <array>

namespace isoplane::niu {

/// What one NIU has done and met, over all peers.
struct Counters {
    using Counter = runtime::Counter;

    Counter messages_sent;  ///< fragments count one each
    Counter messages_received;
    Counter frames_sent;       ///< data frames, the first time
    Counter frames_received;   ///< data frames handed up
    Counter resent_overtaken;  ///< data frames sent again because later ones had arrived
    Counter resent_timeout;    ///< data frames sent again because nothing had
    Counter copied_bytes;      ///< payload copied, by the calls that copy and for frames sent again
    Counter acks_sent;         ///< frames with an acknowledgement or credit and nothing else
    Counter requests_sent;     ///< credit requests, which also ask whether a peer lives
    Counter duplicates;        ///< data frames that were here before
    Counter early;             ///< data frames that came before their turn
    Counter beyond_credit;     ///< data frames that had not been granted
    Counter stale_epoch;       ///< frames of, or for, another incarnation
    Counter doubted;           ///< hellos that say that a peer which is up has started again
    Counter impossible_ack;    ///< frames that acknowledge what was never sent
    Counter broken_message;    ///< fragments that continue nothing
    Counter no_packets;        ///< times the pool was empty
    Counter peers_lost;        ///< peers found dead or restarted
    std::array<Counter, wire::kRejectCount> rejected;  ///< frames refused by their form
};

}  // namespace isoplane::niu
