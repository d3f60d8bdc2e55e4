// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <rte_errno.h>
#include <rte_mbuf.h>

#include <isoplane/runtime/pool.hh>
#include <stdexcept>

namespace isoplane::runtime {

Pool::Pool(const std::string& name, unsigned packets, std::uint16_t room, unsigned cache)
    : pool_(rte_pktmbuf_pool_create(name.c_str(), packets, cache, 0, room, SOCKET_ID_ANY)) {
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
