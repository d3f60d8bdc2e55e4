// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <isoplane/auth/sealer.hh>
#include <stdexcept>

namespace isoplane::auth {

Sealer::Sealer(Crypto& crypto, Algorithm algorithm, const Life& life, std::uint64_t first)
    : crypto_(crypto), algorithm_(algorithm), life_(life), next_(first) {
    if (!take_key())
        throw std::runtime_error("the driver of authentication takes no key: give more --memory");
}

Sealer::~Sealer() {
    crypto_.close(session_);
}

/// The one before is of no use any more: what it has sealed is on its way.
bool Sealer::take_key() noexcept {
    const auto generation = static_cast<std::uint32_t>(next_ >> 32);
    if (session_ != nullptr && generation == generation_) [[likely]]
        return true;
    crypto_.close(session_);
    generation_ = generation;
    session_ = crypto_.open(key_of(crypto_, algorithm_, life_, generation));
    proof_ = proof_of(crypto_, algorithm_, life_, generation);
    return session_ != nullptr;
}

/// Of one key.
std::size_t Sealer::seal_some(std::span<const SealedFrame> frames) noexcept {
    if (!take_key()) return 0;
    const std::uint64_t left = (std::uint64_t{1} << 32) - (next_ & UINT32_MAX);
    const std::size_t n =
        std::min({frames.size(), static_cast<std::size_t>(left), std::size_t{runtime::kBurst}});
    std::array<Piece, runtime::kBurst> pieces;
    for (std::size_t i = 0; i < n; ++i) {
        const SealedFrame& frame = frames[i];
        wire::write_trailer(frame.trailer, {life_.born, life_.salt, next_ + i, proof_});
        pieces[i] = {frame.covered(), next_ + i, frame.trailer + wire::trailer_layout::kTag};
    }
    next_ += n;  // whatever comes of it: no number is used twice
    return crypto_.tag(session_, std::span(pieces).first(n)) ? n : 0;
}

std::size_t Sealer::seal(std::span<const SealedFrame> frames) noexcept {
    std::size_t sealed = 0;
    while (sealed < frames.size()) {
        const std::size_t n = seal_some(frames.subspan(sealed));
        if (n == 0) break;
        sealed += n;
    }
    return sealed;
}

}  // namespace isoplane::auth
