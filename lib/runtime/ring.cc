// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <rte_errno.h>

#include <isoplane/runtime/ring.hh>
#include <stdexcept>

namespace isoplane::runtime {

namespace {

rte_ring* create(const std::string& name, unsigned size) {
    rte_ring* ring =
        rte_ring_create(name.c_str(), size, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ | RING_F_EXACT_SZ);
    if (ring == nullptr) {
        throw std::runtime_error("cannot create the ring '" + name + "' for " + std::to_string(size) +
                                 " packets: " + rte_strerror(rte_errno));
    }
    return ring;
}

}  // namespace

Ring::Ring(const std::string& name, unsigned size)
    : ring_(create(name, size)), head_(name, ring_), tail_(name, ring_) {}

Ring::~Ring() {
    drain();
    rte_ring_free(ring_);
}

unsigned Ring::drain() {
    unsigned freed = 0;
    for (void* left = nullptr; rte_ring_sc_dequeue(ring_, &left) == 0; ++freed) {
        rte_pktmbuf_free(static_cast<rte_mbuf*>(left));
    }
    return freed;
}

std::uint16_t Ring::Head::do_receive(rte_mbuf** packets, std::uint16_t room) noexcept {
    return static_cast<std::uint16_t>(
        rte_ring_sc_dequeue_burst(ring_, reinterpret_cast<void**>(packets), room, nullptr));
}

std::uint16_t Ring::Tail::do_send(rte_mbuf** packets, std::uint16_t n) noexcept {
    return static_cast<std::uint16_t>(
        rte_ring_sp_enqueue_burst(ring_, reinterpret_cast<void**>(packets), n, nullptr));
}

}  // namespace isoplane::runtime
