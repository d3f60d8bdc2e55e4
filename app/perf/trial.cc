// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "trial.hh"

#include <rte_cycles.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <isoplane/runtime/time.hh>
#include <isoplane/wire/ethernet.hh>

#include "../traffic/rate.hh"
#include "seen_numbers.hh"

namespace isoplane::perf {

namespace {

/// What a frame carries behind its Ethernet header.
struct Mark {
    std::uint64_t trial;
    std::uint64_t number;
    std::int64_t sent;  ///< when
    std::uint64_t sum;  ///< of those before: who has damaged one has lost the frame

    bool holds() const noexcept { return sum == sum_of(); }
    std::uint64_t sum_of() const noexcept { return trial + number + static_cast<std::uint64_t>(sent); }
};
static_assert(wire::kEthernetSize + sizeof(Mark) + kFcs <= kLeastFrame);

/// Of all trials of this process, so that what comes late is not taken for another's.
std::uint64_t next_trial() {
    static std::uint64_t trial = rte_rdtsc();
    return ++trial;
}

class Running {
  public:
    Running(const TrialPlan& plan, Sides& sides)
        : plan_(plan), a_(sides[0]), b_(sides[1]), mark_(next_trial()) {
        wire::encode_ethernet(header_, b_.link->mac(), a_.link->mac(), wire::kDefaultEtherType);
    }

    void send(runtime::Idler idler) {
        runtime::Output& out = a_.link->output();
        const auto size = static_cast<std::uint16_t>(plan_.frame_size - kFcs);
        traffic::Pacer pacer({.frames_per_second = plan_.rate}, size);
        const runtime::Time begun = clock_.now();
        const runtime::Time end = begun + std::chrono::duration_cast<runtime::Duration>(
                                              std::chrono::duration<double>(plan_.seconds));
        std::uint64_t sent = 0;
        runtime::Time now = begun;
        for (; now < end && sent < plan_.frames; now = clock_.now()) {
            const auto want =
                static_cast<std::uint16_t>(std::min<std::uint64_t>(kAtOnce, plan_.frames - sent));
            const std::uint16_t due = pacer.take(now, want);
            const std::uint16_t n = due == 0 ? std::uint16_t{0} : send_burst(out, due, size, sent);
            pacer.give_back(static_cast<std::uint16_t>(due - n));
            sent += n;
            idler.step(n > 0);
        }
        trial_.sent = sent;
        trial_.seconds = std::chrono::duration<double>(now - begun).count();
        sent_.store(sent, std::memory_order_release);
    }

    void receive(runtime::Idler idler) {
        runtime::Input& in = b_.link->input();
        runtime::Burst burst;
        std::uint64_t received = 0;
        runtime::Time last = clock_.now();
        for (;;) {
            const std::uint16_t n = in.receive(burst);
            const runtime::Time now = clock_.now();
            for (std::uint16_t i = 0; i < n; ++i)
                received += count(burst[i], now);
            rte_pktmbuf_free_bulk(burst.data(), n);
            idler.step(n > 0);
            const std::uint64_t sent = sent_.load(std::memory_order_acquire);
            if (n > 0 || sent == kGoesOn) {
                last = now;
            } else if (received >= sent || now - last > kQuiet) {
                break;
            }
        }
        trial_.received = received;
    }

    Trial finish() { return trial_; }

  private:
    static constexpr std::uint64_t kGoesOn = UINT64_MAX;
    static constexpr std::uint16_t kAtOnce = 32;
    /// After which what is not there is lost.
    static constexpr runtime::Duration kQuiet = std::chrono::milliseconds{50};

    std::uint16_t send_burst(runtime::Output& out, std::uint16_t n, std::uint16_t size,
                             std::uint64_t number) {
        std::array<rte_mbuf*, kAtOnce> frames;
        if (rte_pktmbuf_alloc_bulk(a_.pool->raw(), frames.data(), n) != 0) return 0;
        Mark mark{mark_, number, clock_.now().time_since_epoch().count(), 0};
        for (std::uint16_t i = 0; i < n; ++i, ++mark.number) {
            mark.sum = mark.sum_of();
            auto* const at = rte_pktmbuf_mtod(frames[i], std::byte*);
            std::memcpy(at, header_.data(), header_.size());
            std::memcpy(at + header_.size(), &mark, sizeof mark);
            frames[i]->data_len = size;
            frames[i]->pkt_len = size;
        }
        const std::uint16_t sent = out.send(frames.data(), n);
        rte_pktmbuf_free_bulk(frames.data() + sent, static_cast<unsigned>(n - sent));
        return sent;
    }

    /// 1 when the frame is of this trial, and has not come before.
    unsigned count(const rte_mbuf* frame, runtime::Time now) {
        if (frame->data_len < wire::kEthernetSize + sizeof(Mark)) return 0;
        Mark mark{};
        std::memcpy(&mark, rte_pktmbuf_mtod_offset(frame, std::byte*, wire::kEthernetSize), sizeof mark);
        if (mark.trial != mark_ || !mark.holds() || !seen_.add(mark.number)) return 0;
        const std::int64_t took = now.time_since_epoch().count() - mark.sent;
        trial_.latency->record(static_cast<std::uint64_t>(std::max<std::int64_t>(took, 0)));
        return 1;
    }

    const TrialPlan& plan_;
    Side& a_;
    Side& b_;
    std::uint64_t mark_;
    runtime::TscClock clock_{};
    std::array<std::byte, wire::kEthernetSize> header_{};
    SeenNumbers seen_{};
    Trial trial_{.latency = std::make_shared<runtime::Histogram>()};
    std::atomic<std::uint64_t> sent_{kGoesOn};
};

}  // namespace

Trial run_trial(const TrialPlan& plan, Workers& workers, Sides& sides) {
    Running running(plan, sides);
    workers.run([&] { running.send(workers.idler()); }, [&] { running.receive(workers.idler()); });
    return running.finish();
}

}  // namespace isoplane::perf
