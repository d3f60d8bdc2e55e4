// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include "contest.hh"
#include "memory_host.hh"
#include "side.hh"

namespace isoplane::perf {

/// Two hosts with shared memory, on an lcore each.
class MemoryPair {
  public:
    MemoryPair(Workers& workers, Sides& sides);

    MemoryHost& a() noexcept { return *hosts_[0]; }
    MemoryHost& b() noexcept { return *hosts_[1]; }

    /// As soon as the two have found each other, `measure` runs on a's lcore and `serve` on b's, again and
    /// again until that has ended; then both poll until nothing is under way. Both get an idler, and poll
    /// their hosts themselves. Throws when the two do not find each other or do not settle, and when
    /// `measure` returned false: what it waited for has not come.
    template <typename Measure, typename Serve>
    void run(Measure&& measure, Serve&& serve);

    /// Polls until a condition holds. False when it does not for seconds, which only a fault can be the
    /// reason of.
    template <typename Poll, typename Condition>
    static bool poll_until(runtime::Idler& idler, Poll&& poll, Condition&& condition) {
        std::uint64_t limit = UINT64_MAX;
        for (unsigned polls = 1; !condition(); ++polls) {
            // Now and then: reading the clock costs as much as a poll.
            if (polls % 64 == 0) {
                const std::uint64_t now = rte_rdtsc();
                if (now > limit) return false;
                if (polls == 64) limit = now + to_ticks(kLimit);
            }
            poll();
            idler.step(false);
        }
        return true;
    }

  private:
    bool settle(unsigned self, runtime::Idler& idler);

    static constexpr double kLimit = 5;
    static constexpr double kQuiet = 500e-6;  ///< more than tokens linger

    Workers& workers_;
    std::array<std::unique_ptr<MemoryHost>, 2> hosts_;
    std::array<std::atomic<bool>, 2> ready_{};
    std::array<std::atomic<bool>, 2> quiet_{};
    std::atomic<bool> over_{false};
};

template <typename Measure, typename Serve>
void MemoryPair::run(Measure&& measure, Serve&& serve) {
    over_ = false;
    ready_[0] = ready_[1] = quiet_[0] = quiet_[1] = false;
    std::array<bool, 2> went_well{};
    const auto meet = [&](unsigned self, runtime::Idler& idler) {
        return poll_until(
            idler, [&] { hosts_[self]->poll(); },
            [&] {
                ready_[self].store(hosts_[self]->ready(), std::memory_order_release);
                return ready_[0].load(std::memory_order_acquire) && ready_[1].load(std::memory_order_acquire);
            });
    };
    workers_.run(
        [&] {
            runtime::Idler idler = workers_.idler();
            went_well[0] = meet(0, idler) && measure(idler);
            over_.store(true, std::memory_order_release);
            went_well[0] &= settle(0, idler);
        },
        [&] {
            runtime::Idler idler = workers_.idler();
            const bool met = meet(1, idler);
            while (met && !over_.load(std::memory_order_acquire))
                serve(idler);
            went_well[1] = settle(1, idler) && met;
        });
    if (!went_well[0] || !went_well[1])
        throw std::runtime_error(
            "the two hosts with shared memory do not find each other, or lose each other; the links of a "
            "pair "
            "have to be joined");
}

}  // namespace isoplane::perf
