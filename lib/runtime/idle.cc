// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <sched.h>
#include <time.h>

#include <chrono>
#include <isoplane/runtime/idle.hh>
#include <stdexcept>
#include <string>

namespace isoplane::runtime {

IdlePolicy parse_idle_policy(std::string_view word) {
    for (IdlePolicy policy : {IdlePolicy::kSpin, IdlePolicy::kYield, IdlePolicy::kDoze}) {
        if (word == to_string(policy)) return policy;
    }
    throw std::invalid_argument("'" + std::string(word) + "' is no idle policy: use spin, yield or doze");
}

std::string_view to_string(IdlePolicy policy) {
    switch (policy) {
        case IdlePolicy::kSpin:
            return "spin";
        case IdlePolicy::kYield:
            return "yield";
        case IdlePolicy::kDoze:
            return "doze";
    }
    return "?";
}

void Idler::idle() noexcept {
    const bool contended = patience_ == 0;
    const bool naps = policy_ == IdlePolicy::kDoze || contended;
    if (naps && empty_rounds_ >= kPatience + kNapAfter) {
        empty_rounds_ = kPatience + kNapAfter;  // stays so, and never wraps
        constexpr timespec kNap{0, 50'000};
        nanosleep(&kNap, nullptr);
        return;
    }
    // Nobody else had the core if that is shorter than any hand-over.
    constexpr std::chrono::nanoseconds kHandOver{1'000};
    const auto before = std::chrono::steady_clock::now();
    sched_yield();
    patience_ = std::chrono::steady_clock::now() - before > kHandOver ? 0 : kPatience;
}

}  // namespace isoplane::runtime
