// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <rte_errno.h>
#include <rte_mbuf.h>
#include <algorithm>

#include <isoplane/runtime/pool.hh>
#include <stdexcept>

namespace isoplane::runtime {

namespace {

/// Packets that came back last go out first, as long as they are in a cache of the CPU. Of a ring, the usual
/// way, all would go out in turn where one lcore takes them and another gives them back, and each packet
/// would come from memory: a stream of 1 KB messages in logical time, which their receiver keeps for longer
/// than their sender does, ran at half its speed.
rte_mempool* make_pool(const std::string& name, unsigned packets, std::uint16_t room, unsigned cache) {
    return rte_pktmbuf_pool_create_by_ops(name.c_str(), packets, cache, 0, room, SOCKET_ID_ANY, "lf_stack");
}

}  // namespace

std::uint16_t Pool::room_for(unsigned mtu) {
    // Ethernet header, a VLAN tag, the FCS that some drivers leave, the header that virtio puts in front.
    constexpr unsigned kFraming = 14 + 4 + 4 + 12;
    return static_cast<std::uint16_t>(RTE_PKTMBUF_HEADROOM + std::max(2048U, mtu + kFraming));
}

Pool::Pool(const std::string& name, unsigned packets, std::uint16_t room, unsigned cache)
    : pool_(make_pool(name, packets, room, cache)) {
    if (pool_ == nullptr) {
        throw std::runtime_error("cannot create the packet pool '" + name + "' of " +
                                 std::to_string(packets) + " packets of " + std::to_string(room) +
                                 " bytes: " + rte_strerror(rte_errno) +
                                 "; give more with --memory MB or ask for fewer with --packets N");
    }
}

Pool::~Pool() {
    rte_mempool_free(pool_);
}

}  // namespace isoplane::runtime
