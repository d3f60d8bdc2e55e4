// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <rte_errno.h>
#include <rte_ring.h>
#include <rte_ring_elem.h>

#include <stdexcept>
#include <string>
#include <type_traits>

namespace isoplane::runtime {

/// A ring of small values from one thread to another, as Ring is one of packets.
template <typename T>
class ValueRing {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % 4 == 0);

  public:
    /// Holds at least `size` values.
    ValueRing(const std::string& name, unsigned size)
        : ring_(rte_ring_create_elem(name.c_str(), sizeof(T), size, SOCKET_ID_ANY,
                                     RING_F_SP_ENQ | RING_F_SC_DEQ | RING_F_EXACT_SZ)) {
        if (ring_ == nullptr)
            throw std::runtime_error("cannot create the ring '" + name + "': " + rte_strerror(rte_errno));
    }
    ~ValueRing() { rte_ring_free(ring_); }
    ValueRing(const ValueRing&) = delete;
    ValueRing& operator=(const ValueRing&) = delete;

    /// False when it is full.
    bool push(const T& value) noexcept {
        return rte_ring_sp_enqueue_elem(ring_, const_cast<T*>(&value), sizeof(T)) == 0;
    }
    /// False when it is empty.
    bool pop(T& value) noexcept { return rte_ring_sc_dequeue_elem(ring_, &value, sizeof(T)) == 0; }

    bool empty() const noexcept { return rte_ring_empty(ring_) != 0; }
    bool full() const noexcept { return rte_ring_full(ring_) != 0; }

  private:
    rte_ring* ring_;
};

}  // namespace isoplane::runtime
