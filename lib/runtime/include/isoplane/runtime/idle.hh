// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <string_view>

namespace isoplane::runtime {

/// What an lcore does when its stages have nothing to do.
enum class IdlePolicy : std::uint8_t {
    kSpin,   ///< polls on: for a core of its own
    kYield,  ///< gives the core to who waits for it: more pollers than cores still hand over in microseconds.
             ///< While they do, who has had nothing to do for long dozes
    kDoze,   ///< sleeps, a tenth of a millisecond at most at a time: for the power bill
};

/// "spin", "yield" or "doze"; anything else throws std::invalid_argument with a sentence.
IdlePolicy parse_idle_policy(std::string_view word);
std::string_view to_string(IdlePolicy policy);

/// Counts empty rounds and idles as the policy says.
class Idler {
  public:
    explicit constexpr Idler(IdlePolicy policy) : policy_(policy) {}

    /// Call once a round with whether it moved anything.
    void step(bool moved) noexcept {
        if (moved) [[likely]] {
            empty_rounds_ = 0;
            return;
        }
        if (policy_ != IdlePolicy::kSpin && ++empty_rounds_ > patience_) idle();
    }

  private:
    /// Empty rounds before the core is given up while nobody else has wanted it: a few microseconds, about
    /// what a hand-over costs. Who has found others waiting gives it up at once: it may wait for them.
    static constexpr std::uint32_t kPatience = 50;
    /// Rounds of giving it up before it sleeps.
    static constexpr std::uint32_t kNapAfter = 1000;

    void idle() noexcept;

    IdlePolicy policy_;
    std::uint32_t patience_ = kPatience;
    std::uint32_t empty_rounds_ = 0;
};

}  // namespace isoplane::runtime
