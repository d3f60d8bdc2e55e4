// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/auth/life.hh>

namespace isoplane::auth {

/// A frame with a trailer behind it, or the place for one.
struct SealedFrame {
    std::byte* begin = nullptr;  ///< of the frame's own header
    std::byte* trailer = nullptr;

    std::span<const std::byte> covered() const noexcept {
        return {begin, static_cast<std::size_t>(trailer - begin) + wire::trailer_layout::kTag};
    }
};

/// Writes the trailers of what a node sends on one link: numbers its frames, and takes a new key whenever the
/// upper half of the number changes. All that another life of the node does differently is in its keys, so
/// that numbers begin anew.
class Sealer {
  public:
    /// Throws std::runtime_error when there is no room for a key. `first` is the first number; only tests
    /// begin elsewhere than at the beginning.
    Sealer(Crypto& crypto, Algorithm algorithm, const Life& life, std::uint64_t first = 0);
    ~Sealer();
    Sealer(const Sealer&) = delete;
    Sealer& operator=(const Sealer&) = delete;

    /// At most runtime::kBurst. Returns how many have been sealed: fewer when a new key could not be had, or
    /// the driver refused.
    std::size_t seal(std::span<const SealedFrame> frames) noexcept;

    std::uint64_t next_number() const noexcept { return next_; }

  private:
    bool take_key() noexcept;
    std::size_t seal_some(std::span<const SealedFrame> frames) noexcept;

    Crypto& crypto_;
    Algorithm algorithm_;
    Life life_;
    std::uint64_t next_;
    std::uint64_t proof_ = 0;
    std::uint32_t generation_ = 0;
    Crypto::Session session_ = nullptr;
};

}  // namespace isoplane::auth
