// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <rte_errno.h>
#include <rte_mbuf.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include <isoplane/runtime/handover.hh>
#include <isoplane/runtime/pool.hh>
#include <random>
#include <stdexcept>
#include <vector>

namespace isoplane::runtime {

namespace {

/// Packets that came back last go out first, as long as they are in a cache of the CPU. Of a ring, the usual
/// way, all would go out in turn where one lcore takes them and another gives them back, and each packet
/// would come from memory: a stream of 1 KB messages in logical time, which their receiver keeps for longer
/// than their sender does, ran at half its speed.
constexpr const char* kLastFirst = "lf_stack";
constexpr const char* kInTurn = "ring_mp_mc";

#ifdef ISOPLANE_SAYS_HANDOVERS
constexpr bool kSaysHandovers = true;

std::array<rte_mempool_ops, RTE_MEMPOOL_MAX_OPS_IDX> unseen;

int give_back(rte_mempool* pool, void* const* packets, unsigned n) {
    for (unsigned i = 0; i < n; ++i)
        take_over(&static_cast<const rte_mbuf*>(packets[i])->refcnt);  // from who referred to it, too
    hand_over(packets, n);
    return unseen[pool->ops_index].enqueue(pool, packets, n);
}

int take_out(rte_mempool* pool, void** packets, unsigned n) {
    const int error = unseen[pool->ops_index].dequeue(pool, packets, n);
    if (error == 0) take_over(packets, n);
    return error;
}

/// Whoever gives a packet back and whoever takes it next, in a driver as well, passes here.
void say_handovers() {
    static const bool once = [] {
        for (unsigned i = 0; i < rte_mempool_ops_table.num_ops; ++i) {
            rte_mempool_ops& ops = rte_mempool_ops_table.ops[i];
            unseen[i] = ops;
            ops.enqueue = give_back;
            ops.dequeue = take_out;
        }
        return true;
    }();
    static_cast<void>(once);
}
#else
constexpr bool kSaysHandovers = false;
void say_handovers() {}
#endif

}  // namespace

std::uint16_t Pool::room_for(unsigned mtu) {
    // Ethernet header, a VLAN tag, the FCS that some drivers leave, the header that virtio puts in front.
    constexpr unsigned kFraming = 14 + 4 + 4 + 12;
    return static_cast<std::uint16_t>(RTE_PKTMBUF_HEADROOM + std::max(2048U, mtu + kFraming));
}

unsigned Pool::memory_mb(unsigned packets, std::uint16_t room) {
    constexpr std::size_t kListed = 16;  // where it stands among those that are in
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t each =
        rte_mempool_calc_obj_size(static_cast<std::uint32_t>(sizeof(rte_mbuf) + room), 0, nullptr);
    const std::size_t in_page = page / each;
    const std::size_t pages =
        in_page == 0 ? packets * ((each + page - 1) / page) : (packets + in_page - 1) / in_page;
    return 1 + static_cast<unsigned>((pages * page + packets * kListed) >> 20);
}

Pool::Pool(const std::string& name, unsigned packets, std::uint16_t room, unsigned cache, Place place) {
    say_handovers();
    // What goes through a cache is not said. Packets in turn keep theirs: AF_XDP's driver loses frames
    // without.
    if (kSaysHandovers && place != Place::kPrivateInTurn) cache = 0;
    if (place == Place::kShared)
        make_shared(name, packets, room, cache);
    else
        pool_ = rte_pktmbuf_pool_create_by_ops(name.c_str(), packets, cache, 0, room, SOCKET_ID_ANY,
                                               place == Place::kPrivate ? kLastFirst : kInTurn);
    if (pool_ == nullptr) {
        throw std::runtime_error("cannot create the packet pool '" + name + "' of " +
                                 std::to_string(packets) + " packets of " + std::to_string(room) +
                                 " bytes: " + rte_strerror(rte_errno) +
                                 "; let there be fewer or smaller ones, or more memory");
    }
    shuffle();
}

/// Packets leave in no regular order, though near each other. Of neighbours in turn a CPU that receives them
/// foresees the next, and fetches what their sender is about to write: half a round trip of 1 KB over rings
/// took a tenth longer.
void Pool::shuffle() {
    constexpr std::ptrdiff_t kNear = 64;
    std::vector<void*> packets(pool_->size);
    if (rte_mempool_generic_get(pool_, packets.data(), pool_->size, nullptr) != 0) return;
    std::minstd_rand random;
    for (auto from = packets.begin(); from != packets.end();) {
        const auto to = from + std::min(kNear, packets.end() - from);
        std::shuffle(from, to, random);
        from = to;
    }
    rte_mempool_generic_put(pool_, packets.data(), pool_->size, nullptr);
}

/// What rte_pktmbuf_pool_create() does, in memory of ours. Devices do not reach it.
void Pool::make_shared(const std::string& name, unsigned packets, std::uint16_t room, unsigned cache) {
    const auto element = static_cast<unsigned>(sizeof(rte_mbuf) + room);
    const std::size_t each = rte_mempool_calc_obj_size(element, 0, nullptr);
    shared_.emplace(name, (packets + std::size_t{1}) * each);
    const std::span<std::byte> memory = shared_->bytes();
    pool_ = rte_mempool_create_empty(name.c_str(), packets, element, cache, sizeof(rte_pktmbuf_pool_private),
                                     SOCKET_ID_ANY, RTE_MEMPOOL_F_NO_IOVA_CONTIG);
    if (pool_ == nullptr) return;
    rte_mempool_set_ops_byname(pool_, kLastFirst, nullptr);
    rte_pktmbuf_pool_private layout{.mbuf_data_room_size = room, .mbuf_priv_size = 0, .flags = 0};
    rte_pktmbuf_pool_init(pool_, &layout);
    const int filled = rte_mempool_populate_iova(pool_, reinterpret_cast<char*>(memory.data()), RTE_BAD_IOVA,
                                                 memory.size(), nullptr, nullptr);
    if (filled != static_cast<int>(packets)) {
        rte_errno = filled < 0 ? -filled : ENOMEM;
        rte_mempool_free(pool_);
        pool_ = nullptr;
        return;
    }
    rte_mempool_obj_iter(pool_, rte_pktmbuf_init, nullptr);
}

Pool::~Pool() {
    rte_mempool_free(pool_);
}

}  // namespace isoplane::runtime
