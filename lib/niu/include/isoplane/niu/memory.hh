// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Memory that large messages are sent from without being copied: frames refer to it.
///
/// - What is sent from it stays as it is while busy(): until the other side has acknowledged it, since it may
///   have to be sent again, and on links that hand over the very packets until the receiver has released it.
/// - allocate() gives memory that every link reaches. What adopt() registers is reached by links within the
///   process; others, such as virtio, share with their other side only what was there when they were opened,
///   so from there the NIU copies as it does from memory it does not know.
/// - Memory may go while it is busy: what was allocated is kept until the last packet that refers to it is
///   freed. What was adopted is the user's, who keeps it until it is not busy and the links are closed.
///
/// Belongs to the thread that sends from it, which need not be the one that polls the NIU.
#pragma once

#include <rte_mbuf.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace isoplane::niu {

class Memory {
  public:
    /// From the heap of the EAL, zeroed. Throws std::runtime_error when there is not so much.
    static Memory allocate(std::size_t size);
    /// The user's own: whole pages. Throws std::invalid_argument when it is not, and std::runtime_error when
    /// the EAL does not take it.
    static Memory adopt(std::span<std::byte> pages);

    Memory() = default;
    Memory(Memory&& other) noexcept : region_(std::exchange(other.region_, nullptr)) {}
    Memory& operator=(Memory&& other) noexcept {
        std::swap(region_, other.region_);
        return *this;
    }
    ~Memory();

    explicit operator bool() const noexcept { return region_ != nullptr; }
    std::span<std::byte> bytes() const noexcept { return region_ ? region_->bytes : std::span<std::byte>{}; }

    /// A frame that refers to it is under way, or a message that is not in frames yet.
    bool busy() const noexcept { return region_ != nullptr && region_->in_use(); }

    /// What frames and transfers know of it. Lives as long as any of them, or the Memory, does.
    struct Region {
        rte_mbuf_ext_shared_info references{};  ///< of packets, and one of the Memory
        std::span<std::byte> bytes{};
        rte_iova_t iova = RTE_BAD_IOVA;  ///< of the first byte; bad where devices see it in pieces
        bool adopted = false;
        std::atomic<std::uint32_t> uses{0};  ///< frames and transfers not done with

        bool contains(std::span<const std::byte> part) const noexcept {
            return part.data() >= bytes.data() && part.data() + part.size() <= bytes.data() + bytes.size();
        }
        void use() noexcept { uses.fetch_add(1, std::memory_order_relaxed); }
        void done() noexcept { uses.fetch_sub(1, std::memory_order_release); }
        bool in_use() const noexcept { return uses.load(std::memory_order_acquire) != 0; }
        void refer() noexcept;
        void let_go() noexcept;  ///< may be the end of it

        /// Of a transfer that is not in frames.
        void take_part() noexcept {
            refer();
            use();
        }
        void give_back() noexcept {
            done();
            let_go();
        }
    };
    Region* region() const noexcept { return region_; }

  private:
    explicit Memory(Region* region) noexcept : region_(region) {}

    Region* region_ = nullptr;
};

}  // namespace isoplane::niu
