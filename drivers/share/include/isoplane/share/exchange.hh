// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <array>
#include <isoplane/runtime/backlog.hh>
#include <isoplane/runtime/pool.hh>
#include <isoplane/runtime/stage.hh>
#include <vector>

#include <isoplane/share/guest.hh>

namespace isoplane::share {

/// The most clients of a node.
inline constexpr std::size_t kMaxClients = 256;

/// The port that clients share, and the way from one to another.
///
/// - What a client sends goes to the client that has the address, or out of the port; what is for all goes to
///   all of its job and out of the port. It is copied once, and what is not in the client's own name refused.
/// - What comes in at the port goes to the client that has the address, if it is of its job.
/// - Clients that send take turns, by bytes. Where the port takes nothing they wait, and nothing is lost;
///   who waits for the port goes first when it is free. A client that has no room for what comes misses it,
///   as at a port of its own, and holds up nobody.
///
/// doc/shared.md describes it.
class Exchange final : public runtime::Stage {
  public:
    /// A node whose clients only talk to each other has no port: `from` and `to` are nullptr. Packets that go
    /// out of it come from `pool`, and frames are no longer than `longest` bytes.
    Exchange(std::string name, runtime::Input* from, runtime::Output* to, runtime::Pool& pool,
             unsigned longest);

    unsigned poll(runtime::Time now) override;
    void set_quiet(bool quiet) override { quiet_ = quiet; }
    std::size_t held() const override { return farewells_.size() + out_count_ + (to_ ? to_->size() : 0); }
    std::size_t discard() override;
    void describe(nlohmann::json& out) const override;
    void clear_counters() override;

    // To be called on the exchange's lcore, or while it is stopped.

    /// The client takes part until it is detached. Returns false when there are kMaxClients, or one has its
    /// address, or is the same node of the same job.
    bool attach(Guest& guest);
    /// Nothing of the client is here any more.
    void detach(Guest& guest);
    /// Sends a frame, of kHeadSize bytes at the most, in the name of a client that is gone to all of its job;
    /// out of the port when that takes something again.
    void announce(const Identity& who, std::span<const std::byte> frame);

  private:
    enum class Fate : std::uint8_t { kTaken, kBlocked };

    struct Address {
        std::uint64_t key = 0;  ///< 0 when free
        Guest* guest = nullptr;
    };
    struct Farewell {
        std::array<std::byte, kHeadSize> frame{};
        std::size_t size = 0;
    };
    static constexpr std::size_t kAddresses = 4 * kMaxClients;

    static std::uint64_t key_of(const std::byte* mac) noexcept;
    static std::size_t slot_of(std::uint64_t key) noexcept;
    Guest* find(const std::byte* mac) const noexcept;
    void index_addresses() noexcept;

    unsigned receive() noexcept;
    void receive(rte_mbuf* packet) noexcept;
    unsigned serve(Guest& guest) noexcept;
    Fate forward(Guest& from, std::span<const std::byte> packet) noexcept;
    Fate flood(Guest& from, Pieces packet, std::size_t length) noexcept;
    void send_farewells() noexcept;
    bool port_is_free() noexcept;
    bool send_out(Pieces packet, std::size_t length) noexcept;
    void push_out() noexcept;

    runtime::Input* from_;
    std::optional<runtime::Backlog> to_;
    runtime::Pool& pool_;
    std::size_t longest_;
    bool quiet_ = false;
    std::vector<Guest*> guests_;
    std::size_t next_ = 0;  ///< whose turn it is
    std::array<Address, kAddresses> addresses_{};
    std::vector<Farewell> farewells_;  ///< that the port has not taken yet
    runtime::Burst out_{};
    std::uint16_t out_count_ = 0;

    runtime::Counter elsewhere_;   ///< came in and were for no client's address
    runtime::Counter foreign_;     ///< came in for a client's address, and of another job or no frames
    runtime::Counter oversized_;   ///< longer than a frame can be
    runtime::Counter untold_;      ///< clients that are gone, and whose peers behind the port were not told
    runtime::Counter no_packets_;  ///< times that a client waited for a packet of the pool
};

}  // namespace isoplane::share
