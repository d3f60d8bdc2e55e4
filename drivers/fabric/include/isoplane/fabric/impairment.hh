// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include <isoplane/runtime/time.hh>

namespace isoplane::fabric {

/// The most frames that one egress port can be told to hold.
inline constexpr unsigned kMaxQueue = 65536;

/// Any time from the least to the most.
struct Span {
    runtime::Duration least{0};
    runtime::Duration most{0};

    bool operator==(const Span&) const = default;
};

/// What a port does to the frames that leave through it; by default nothing. doc/fabric.md has the exact
/// meaning of each and how they combine.
struct Impairment {
    double loss = 0;       ///< probability that a frame vanishes
    double duplicate = 0;  ///< probability that a copy follows it
    double reorder = 0;    ///< probability that it is held back until `gap` later ones have gone ahead
    double corrupt = 0;    ///< probability that one bit after its Ethernet header flips
    double late = 0;       ///< probability that a copy of it comes again, after any time in `after`
    Span after{std::chrono::milliseconds{5}, std::chrono::milliseconds{200}};
    runtime::Duration delay{0};
    runtime::Duration jitter{0};  ///< the delay is uniform in delay ± jitter, at least 0; it never reorders
    std::uint64_t rate = 0;       ///< bit/s on the wire, 24 bytes of overhead a frame; 0: unlimited
    unsigned queue = 4096;        ///< frames the port holds, for whatever reason, before it drops the newest
    unsigned gap = 3;
    runtime::Duration hold =
        std::chrono::milliseconds{1};  ///< a held-back frame goes after this at the latest
    bool cut = false;                  ///< neither sends nor receives

    bool operator==(const Impairment&) const = default;

    /// Frames pass as they come, bounded by `queue` only.
    bool harmless() const noexcept {
        return loss == 0 && duplicate == 0 && reorder == 0 && corrupt == 0 && late == 0 &&
               same_pace(Impairment{}) && !cut;
    }
    bool same_pace(const Impairment& other) const noexcept {
        return delay == other.delay && jitter == other.jitter && rate == other.rate;
    }
};

/// Sets one of: loss, dup, reorder, corrupt, late (0.01 or 1%), delay, jitter, hold (5us; ns, us, ms, s),
/// after (5ms or 5ms..200ms), rate (1Gbit; bit, kbit, Mbit, Gbit), queue, gap (a count), cut (on or off).
/// Throws std::invalid_argument with a sentence; then nothing has changed.
void set_key(Impairment& impairment, std::string_view key, std::string_view value);

/// "loss=0.01,delay=5us,…" upon the defaults; the empty text is the defaults.
Impairment parse_impairment(std::string_view text);

void to_json(nlohmann::json& out, const Impairment& impairment);

}  // namespace isoplane::fabric
