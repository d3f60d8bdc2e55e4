// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// The two functions that authentication is made of, by drivers of rte_cryptodev that compute in the calling
/// thread: a pseudo-random function of the job's secret (HMAC-SHA256), and tags over frames under keys that
/// it yields.
#pragma once

#include <rte_mempool.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <isoplane/auth/key.hh>
#include <isoplane/runtime/packet.hh>
#include <isoplane/wire/trailer.hh>

namespace isoplane::auth {

/// What one tag is computed over, under a number that no other tag of the same key has.
struct Piece {
    std::span<const std::byte> data;
    std::uint64_t number = 0;
    std::byte* tag = nullptr;  ///< kTagSize bytes
};

/// Used by one thread at a time.
class Crypto {
  public:
    using Output = std::array<std::byte, 32>;
    using Context = std::array<std::byte, 32>;
    using Session = void*;  ///< a key, ready for use

    /// `keys` are in use at most. Throws std::runtime_error when a driver is not there.
    Crypto(const Key& key, unsigned keys);
    ~Crypto();
    Crypto(const Crypto&) = delete;
    Crypto& operator=(const Crypto&) = delete;

    Output derive(const Context& context) noexcept;

    /// nullptr when as many as said are open. Some tens of microseconds: the driver sets up more than a key.
    Session open(const Output& key) noexcept;
    void close(Session session) noexcept;

    /// At most runtime::kBurst pieces. False when the driver has refused, which it has no reason to.
    bool tag(Session session, std::span<const Piece> pieces) noexcept;

    /// MB of memory that so many keys take.
    static unsigned memory_mb(unsigned keys);

  private:
    bool tag_in_place(Session session, std::span<const Piece> pieces) noexcept;
    bool tag_copies(Session session, std::span<const Piece> pieces) noexcept;

    struct Device {
        std::uint8_t id;
    };
    static Device device(const char* driver);

    Algorithm algorithm_;
    Device hash_;
    Device cipher_;
    rte_mempool* sessions_ = nullptr;
    Session prf_ = nullptr;
    std::vector<std::byte> scratch_;
};

}  // namespace isoplane::auth
