// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <isoplane/topology/ip.hh>
#include <isoplane/wire/ethernet.hh>
#include <memory>
#include <vector>

#include <isoplane/niu/names.hh>
#include <isoplane/niu/rtt.hh>

namespace isoplane::niu {

/// Defects that tests plant to see that they would be found.
struct Planted {
    bool never_resend = false;
    bool deliver_duplicates = false;
    bool deliver_early = false;  ///< also in its turn
    bool keep_credit = false;
    bool leak_duplicates = false;  ///< packets that come again are not freed
    bool any_epoch = false;        ///< takes frames of earlier incarnations
    std::uint32_t first = 0;  ///< number of each stream's first frame, at both ends: none, but soon to wrap
};

struct Options {
    NodeId node = 0;  ///< this one
    Names nodes{};    ///< of all
    std::uint32_t job_key = 0;
    /// Of this incarnation: greater than that of any before it, and its low half is not 0 (epoch.hh).
    std::uint32_t epoch = 1;
    std::uint64_t build_id = 0;
    wire::MacAddress mac{};
    /// Of all nodes, where they are known beforehand: then nothing is sent to all, by which nodes find each
    /// other otherwise.
    std::shared_ptr<const std::vector<wire::MacAddress>> macs{};
    std::uint16_t ethertype = wire::kDefaultEtherType;
    topology::UdpNetwork udp{};  ///< where frames travel in UDP
    std::uint16_t mtu = 1500;    ///< bytes behind the Ethernet header that the link carries
    bool chains = false;         ///< the link sends packets of several segments as they are
    bool in_process = false;     ///< the link hands packets over, and may refer to any memory of the process
    bool manages = false;        ///< the host is the token manager of its switch, too: peers are told
    bool trust_fcs = false;      ///< leave the payload CRC out where both ends do

    unsigned window = 256;  ///< frames on their way to one peer, and those one peer may have sent; power of 2
    unsigned transfers = 64;  ///< large messages that may wait for one peer
    bool coalesce = true;     ///< small messages sent between two polls share frames
    unsigned ack_every = 16;  ///< frames, at the most, that one acknowledgement is for
    runtime::Duration ack_delay = std::chrono::microseconds{20};
    TimeoutLimits timeout{};

    runtime::Duration silence = std::chrono::seconds{30};  ///< after which a peer is dead
    runtime::Duration displace = std::chrono::seconds{1};  ///< or this, if it is said to have restarted
    runtime::Duration hello_every = std::chrono::milliseconds{1};  ///< at first; less often with time
    runtime::Duration hello_limit = std::chrono::seconds{30};      ///< after which missing nodes are named
    runtime::Duration close_limit = std::chrono::seconds{30};      ///< after which closing waits for nobody
    runtime::Duration linger = std::chrono::milliseconds{20};  ///< a closed node still answers for so long

    Planted planted{};

    /// A node that was not polled for longer was stopped: of that time, no more than this is counted.
    runtime::Duration pause() const noexcept {
        return std::max<runtime::Duration>(std::min(hello_limit, close_limit) / 8,
                                           std::chrono::milliseconds{200});
    }
};

}  // namespace isoplane::niu
