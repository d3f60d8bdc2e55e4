// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <isoplane/fabric/fate.hh>
#include <isoplane/fabric/impairment.hh>
#include <isoplane/fabric/late_copies.hh>
#include <isoplane/fabric/line.hh>
#include <isoplane/runtime/counter.hh>
#include <isoplane/runtime/pool.hh>

namespace isoplane::fabric {

/// What became of the frames that were to leave through a port. Always
/// offered + duplicated + late == out + lost + queue_full + cut + those still inside + those discarded.
struct EgressCounters {
    runtime::Counter offered;
    runtime::Counter out;
    runtime::Counter lost;
    runtime::Counter duplicated;
    runtime::Counter reordered;  ///< of those out: went behind a later frame
    runtime::Counter corrupted;
    runtime::Counter late;     ///< copies that came again, of frames long gone
    runtime::Counter delayed;  ///< had to wait for their delay or for the rate
    runtime::Counter queue_full;
    runtime::Counter cut;
    runtime::Counter
        no_memory;  ///< copies that could not be made: of a flooded frame, a twin, to damage or to come late

    void clear() noexcept;
};

/// One way out with its impairments: decides the fate of each frame that is offered, and keeps what is to
/// leave, in order and with the time when, until it is fetched. It knows no ports: the switch has one behind
/// each output, a link of the simulator one in each direction.
///
/// Fixed in size; nothing is allocated after construction but mbufs from the pool for copies.
class Egress {
  public:
    using Time = runtime::Time;

    /// Frames that can be held back at once; while they are, no further one is.
    static constexpr unsigned kMaxHeldBack = 32;

    /// Holds up to `capacity` frames, whatever Impairment::queue says. `port` selects a stream of fates among
    /// those of the seed.
    Egress(std::uint64_t seed, std::uint64_t port, unsigned capacity, runtime::Pool& copies);
    ~Egress() { discard(); }
    Egress(const Egress&) = delete;
    Egress& operator=(const Egress&) = delete;

    const Impairment& settings() const noexcept { return settings_; }

    /// For frames to come. What is held back is let go; a change of delay, jitter or rate lets go all that
    /// waits; a cut drops it. Copies to come late still come, unless it is cut then.
    void set(const Impairment& settings) noexcept;

    /// Takes the frame over.
    void offer(rte_mbuf* frame, Time now) noexcept {
        counters_.offered.add();
        if (!harmless_) [[unlikely]]
            return impair(frame, now);
        fates_.skip();
        if (room() == 0) [[unlikely]]
            return drop(frame, counters_.queue_full);
        line_.push(frame, Time::min(), false);
    }

    /// Accounts for a frame that was meant for this way out but may not take it.
    void refuse() noexcept;
    /// Accounts for a frame of which no copy could be made for this way out.
    void starve() noexcept { counters_.no_memory.add(); }

    /// The first frames that are to leave now, up to a burst, valid until the next call. The caller says with
    /// left() how many it took over.
    std::span<rte_mbuf*> ready(Time now) noexcept {
        if (held_back_.size() + late_.size() != 0) [[unlikely]]
            let_go_overdue(now);
        return line_.due(now);
    }
    void left(unsigned n) noexcept {
        counters_.out.add(n);
        counters_.reordered.add(line_.pop(n));
    }

    /// When ready() will next have something that is inside by now: a time that may have passed already, or
    /// Time::max() when nothing is inside.
    Time next_due() const noexcept;

    /// Without copies that are to come late: nobody waits for those, and they take no frame's place.
    unsigned held() const noexcept { return line_.size() + held_back_.frames; }
    unsigned to_come_late() const noexcept { return late_.size(); }
    /// Frames that still fit.
    unsigned room() const noexcept { return held() < limit_ ? limit_ - held() : 0; }

    /// Frees what is inside, and the copies to come. Returns how many frames were inside.
    std::size_t discard() noexcept;

    const EgressCounters& counters() const noexcept { return counters_; }
    void clear_counters() noexcept { counters_.clear(); }

  private:
    struct HeldBack {
        rte_mbuf* frame;
        rte_mbuf* twin;  ///< its duplicate, which follows it; or nullptr
        runtime::Duration delay;
        Time deadline;
        std::uint64_t since;  ///< passed_ when it was held back
    };
    /// First in, first out: all have the same gap to wait for.
    struct HeldBackQueue {
        std::array<HeldBack, kMaxHeldBack> slots;
        unsigned head = 0;
        unsigned tail = 0;
        unsigned frames = 0;  ///< twins included
        unsigned size() const noexcept { return tail - head; }
        const HeldBack& front() const noexcept { return slots[head % kMaxHeldBack]; }
    };

    static void drop(rte_mbuf* frame, runtime::Counter& reason) noexcept {
        rte_pktmbuf_free(frame);
        reason.add();
    }

    void free_wire() noexcept;
    void impair(rte_mbuf* frame, Time now) noexcept;
    rte_mbuf* copy(const rte_mbuf* frame) noexcept;
    void keep_copy(const rte_mbuf* frame, Time due) noexcept;
    rte_mbuf* corrupt(rte_mbuf* frame, std::uint64_t where) noexcept;
    void hold_back(rte_mbuf* frame, rte_mbuf* twin, runtime::Duration delay, Time now) noexcept;
    void let_go(Time now) noexcept;
    void let_go_overdue(Time now) noexcept;
    void come_late(Time now) noexcept;
    void enqueue(rte_mbuf* frame, runtime::Duration delay, Time now, bool late) noexcept;
    Time end_of_transmission(std::uint32_t bytes, Time now) noexcept;

    Impairment settings_;
    Line line_;
    unsigned limit_;        ///< the smaller of the settings' queue and the line's capacity
    bool harmless_ = true;  ///< then nothing is held back
    Fates fates_;
    EgressCounters counters_;
    runtime::Pool* copies_;
    HeldBackQueue held_back_;
    LateCopies late_;
    std::uint64_t passed_ = 0;         ///< intact frames that were not held back
    Time last_due_ = Time::min();      ///< of the line's last frame: no later one leaves before
    Time wire_free_{};                 ///< when the wire, at the set rate, ends its last frame
    std::uint64_t bit_remainder_ = 0;  ///< what the division by the rate left over, so that no time is lost
};

}  // namespace isoplane::fabric
