// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Measures a transport: a ping-pong and a stream, both between two ends on an lcore each.
#pragma once

#include <rte_cycles.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <isoplane/runtime/histogram.hh>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "plan.hh"
#include "results.hh"
#include "transport.hh"
#include "workers.hh"

namespace isoplane::perf {

inline std::uint64_t to_ticks(double seconds) {
    return static_cast<std::uint64_t>(seconds * static_cast<double>(rte_get_tsc_hz()));
}

/// When a measurement that begins now counts, and ends. One that has found too little by its end goes on, up
/// to four times as long: sides may have been off their CPUs. One of so many iterations ends with these.
class Course {
  public:
    explicit Course(const Plan& plan)
        : enough_(plan.iterations > 0 ? plan.iterations : kEnough),
          counts_(rte_rdtsc() + to_ticks(plan.warming())),
          ends_(plan.iterations > 0 ? 0 : rte_rdtsc() + to_ticks(plan.seconds)),
          last_(rte_rdtsc() + to_ticks(plan.iterations > 0 ? kLongest : plan.seconds * 4)) {}

    bool counts(std::uint64_t now) const noexcept { return now >= counts_; }
    bool goes_on(std::uint64_t now, std::size_t found) const noexcept {
        return now < ends_ || (found < enough_ && now < last_);
    }

  private:
    static constexpr std::size_t kEnough = 16;
    static constexpr double kLongest = 60;  ///< seconds

    std::size_t enough_;
    std::uint64_t counts_;
    std::uint64_t ends_;
    std::uint64_t last_;
};

/// Memory in lines of its own: of what one CPU writes and another reads meanwhile, neither waits for the
/// other's.
template <typename T>
struct OwnLines {
    using value_type = T;
    static constexpr std::size_t kLines = 256;  ///< bytes: CPUs fetch two lines at a time, some four

    T* allocate(std::size_t n) {
        const std::size_t size = (n * sizeof(T) + kLines - 1) / kLines * kLines;
        return static_cast<T*>(::operator new (size, std::align_val_t{kLines}));
    }
    void deallocate(T* at, std::size_t /*n*/) noexcept { ::operator delete (at, std::align_val_t{kLines}); }
    bool operator==(const OwnLines&) const = default;
};

/// The two ends of a transport, at work on messages of one size.
template <Transport End>
class Measurement {
  public:
    Measurement(Workers& workers, End& a, End& b, std::size_t size, const Plan& plan)
        : workers_(workers), a_(a), b_(b), plan_(plan), message_(size), in_a_(size), in_b_(size) {
        slices_.reserve(static_cast<std::size_t>(plan.seconds * 4 / kSlice) + 1);
        for (std::size_t i = 0; i < size; ++i)
            message_[i] = static_cast<std::byte>(i * 7 + i / 256 + 1);
    }

    /// The ends did not find each other.
    bool unreachable() const noexcept { return unreachable_.load(std::memory_order_relaxed); }

    /// Fills in the round trip's times. Returns false when what came back is not what was sent.
    bool ping_pong(Sample& sample) {
        restart(true);
        workers_.run([this] { ping(); }, [this] { pong(); });
        if (ticks_->count() == 0) return true;
        sample.round_trip = {ticks_, 1e9 / static_cast<double>(rte_get_tsc_hz())};
        return in_a_ == message_;
    }

    /// Fills in the rate at which messages arrive: the median over slices of time, each as long as it takes
    /// for a message to arrive after kSlice. Those in which a side was off its CPU are few and long, and so
    /// do not count on a machine that has other things to do. Returns false when they are not what was sent.
    bool stream(Sample& sample) {
        restart(false);
        workers_.run([this] { pour(); }, [this] { drink(); });
        sample.flow = {.full = sending_.share(sending_.full),
                       .windowed = sending_.share(sending_.windowed),
                       .empty = receiving_.share(receiving_.empty)};
        return note_rate(sample) || in_b_ == message_;
    }

    /// The same of messages that the other end sends back as they come.
    bool circle(Sample& sample) requires requires(End end) { end.relay(); }
    {
        restart(false);
        workers_.run([this] { circulate(); }, [this] { pass_on(); });
        return note_rate(sample) || in_a_ == message_;
    }

  private:
    void restart(bool answered) {
        over_ = false;
        begun_ = 0;
        found_ = 0;
        arrived_ = 0;
        slice_begin_ = 0;
        slices_.clear();
        sending_ = {};
        receiving_ = {};
        poured_ = 0;
        drunk_ = 0;
        quiet_[0] = quiet_[1] = false;
        if constexpr (requires { a_.answer(answered); }) {
            a_.answer(answered);
            b_.answer(answered);
        }
    }

    /// Returns true when there is none.
    bool note_rate(Sample& sample) {
        // So few iterations may all be in one that has not ended.
        if (slices_.empty() && arrived_ > 0 && last_ > slice_begin_)
            slices_.push_back(static_cast<double>(arrived_) / static_cast<double>(last_ - slice_begin_));
        if (slices_.empty()) return true;
        const auto middle = slices_.begin() + static_cast<std::ptrdiff_t>(slices_.size() / 2);
        std::nth_element(slices_.begin(), middle, slices_.end());
        sample.messages_per_second = *middle * static_cast<double>(rte_get_tsc_hz());
        return false;
    }

    /// False when the other end cannot be reached, which nothing but the links can be the reason of.
    bool prepare(End& end, std::span<std::byte> room, runtime::Idler& idler) {
        if constexpr (requires { end.use(room); }) end.use(room);
        end.begin(message_.size());
        begun_.fetch_add(1, std::memory_order_acq_rel);
        while (begun_.load(std::memory_order_acquire) < 2)
            idler.step(false);
        const std::uint64_t limit = rte_rdtsc() + to_ticks(kLimit);
        while (!end.ready()) {
            if (rte_rdtsc() > limit) {
                unreachable_.store(true, std::memory_order_relaxed);
                return false;
            }
            idler.step(false);
        }
        return true;
    }

    void ping() {
        runtime::Idler idler = workers_.idler();
        if (prepare(a_, in_a_, idler)) {
            const Course course(plan_);
            std::uint64_t begin = rte_rdtsc();
            while (course.goes_on(begin, found()) && exchange(course, idler)) {
                const std::uint64_t end = rte_rdtsc();
                if (course.counts(begin)) {
                    ticks_->record(end - begin);
                    note_found(1);
                }
                begin = end;
            }
        }
        over_.store(true, std::memory_order_release);
        settle(a_, in_a_, 0, idler);
    }

    /// There and back. A message that is lost takes the rest of the time with it.
    bool exchange(const Course& course, runtime::Idler& idler) {
        while (!a_.send(message_)) {
            a_.poll();
            if (is_late(course)) return false;
        }
        do {
            a_.poll();
            if (a_.receive(in_a_)) return true;
            idler.step(false);
        } while (!is_late(course));
        return false;
    }

    /// Reads the clock only now and then: it costs as much as a poll.
    bool is_late(const Course& course) { return ++waits_ % 64 == 0 && !course.goes_on(rte_rdtsc(), found()); }

    void pong() {
        runtime::Idler idler = workers_.idler();
        prepare(b_, in_b_, idler);
        unsigned owed = 0;
        while (!is_over()) {
            b_.poll();
            const bool came = b_.receive(in_b_);
            owed += came ? 1 : 0;
            while (owed > 0 && b_.send(in_b_))
                --owed;
            idler.step(came);
        }
        settle(b_, in_b_, 1, idler);
    }

    void pour() {
        runtime::Idler idler = workers_.idler();
        if (prepare(a_, in_a_, idler)) {
            const Course course(plan_);
            for (std::uint64_t now = rte_rdtsc(); course.goes_on(now, found());) {
                const Batch batch = send_batch();
                const bool moved = a_.poll();
                idler.step(batch.sent > 0);
                const std::uint64_t begin = std::exchange(now, rte_rdtsc());
                if (!course.counts(begin)) continue;
                sending_.all += now - begin;
                if (batch.windowed)
                    sending_.windowed += now - begin;
                else if (batch.sent == 0 && !moved)
                    sending_.full += now - begin;
            }
        }
        over_.store(true, std::memory_order_release);
        settle(a_, in_a_, 0, idler);
    }

    void drink() {
        runtime::Idler idler = workers_.idler();
        prepare(b_, in_b_, idler);
        const Course course(plan_);
        for (std::uint64_t now = rte_rdtsc(); !is_over();) {
            const bool moved = b_.poll();
            const bool came = receive_batch(b_, in_b_, course);
            idler.step(came);
            const std::uint64_t begin = std::exchange(now, rte_rdtsc());
            if (!course.counts(begin)) continue;
            receiving_.all += now - begin;
            if (!came && !moved) receiving_.empty += now - begin;
        }
        settle(b_, in_b_, 1, idler);
    }

    void circulate() {
        runtime::Idler idler = workers_.idler();
        if (prepare(a_, in_a_, idler)) {
            const Course course(plan_);
            while (course.goes_on(rte_rdtsc(), found())) {
                const bool sent = send_batch().sent > 0;
                a_.poll();
                idler.step(receive_batch(a_, in_a_, course) || sent);
            }
        }
        over_.store(true, std::memory_order_release);
        settle(a_, in_a_, 0, idler);
    }

    void pass_on() {
        runtime::Idler idler = workers_.idler();
        prepare(b_, in_b_, idler);
        while (!is_over()) {
            b_.poll();
            unsigned passed = 0;
            while (passed < kBatch && b_.relay())
                ++passed;
            idler.step(passed > 0);
        }
        settle(b_, in_b_, 1, idler);
    }

    /// What went at one poll, and why not more.
    struct Batch {
        unsigned sent = 0;
        bool windowed = false;  ///< as many are under way as may be
    };

    /// The time of one side of a stream, in ticks.
    struct Spent {
        std::uint64_t all = 0;
        std::uint64_t full = 0;
        std::uint64_t windowed = 0;
        std::uint64_t empty = 0;

        double share(std::uint64_t of) const noexcept {
            return all > 0 ? static_cast<double>(of) / static_cast<double>(all) : 0;
        }
    };

    Batch send_batch() {
        Batch batch;
        const std::uint64_t room =
            plan_.window > 0 ? plan_.window - (poured_ - drunk_.load(std::memory_order_relaxed)) : kBatch;
        const auto most = static_cast<unsigned>(std::min<std::uint64_t>(room, kBatch));
        while (batch.sent < most && a_.send(message_))
            ++batch.sent;
        batch.windowed = plan_.window > 0 && batch.sent == room;
        poured_ += batch.sent;
        return batch;
    }

    /// Counts what has come in slices. Returns whether there was any.
    bool receive_batch(End& end, std::span<std::byte> room, const Course& course) {
        unsigned most = kBatch;
        if constexpr (requires { End::kTaken; }) most = End::kTaken;
        unsigned came = 0;
        while (came < most && end.receive(room))
            ++came;
        if (came == 0) return false;
        if (plan_.window > 0)
            drunk_.store(drunk_.load(std::memory_order_relaxed) + came, std::memory_order_relaxed);
        const std::uint64_t now = last_ = rte_rdtsc();
        if (slice_begin_ != 0) {
            arrived_ += came;
            if (plan_.iterations > 0) note_found(came);
            if (now - slice_begin_ < slice_) return true;
            slices_.push_back(static_cast<double>(arrived_) / static_cast<double>(now - slice_begin_));
            if (plan_.iterations == 0) note_found(1);
        }
        arrived_ = 0;
        if (course.counts(now)) slice_begin_ = now;
        return true;
    }

    /// Round trips, or slices, or messages of a stream where these are counted, so far.
    std::size_t found() const noexcept { return found_.load(std::memory_order_relaxed); }
    void note_found(std::size_t more) noexcept { found_.store(found() + more, std::memory_order_relaxed); }

    bool is_over() const noexcept { return over_.load(std::memory_order_acquire); }

    /// Both ends go on until each has nothing under way and has received nothing for a while, so that nothing
    /// of this measurement is left for the next. An end that has been quiet may hear of more, when the other
    /// was off its CPU meanwhile: then it is not quiet any more.
    void settle(End& end, std::span<std::byte> room, unsigned self, runtime::Idler& idler) {
        const std::uint64_t limit = rte_rdtsc() + to_ticks(kLimit);
        std::uint64_t quiet_at = rte_rdtsc() + to_ticks(kQuiet);
        for (std::uint64_t now = rte_rdtsc(); now < limit; now = rte_rdtsc()) {
            // Looked at first: what the other had sent by then is found by this poll, or there is none.
            const bool other_quiet = quiet_[1 - self].load(std::memory_order_acquire);
            end.poll();
            const bool came = end.receive(room);
            if (came || !end.settled()) quiet_at = now + to_ticks(kQuiet);
            const bool quiet = !came && now >= quiet_at;
            quiet_[self].store(quiet, std::memory_order_release);
            if (quiet && other_quiet) return;
            idler.step(came);
        }
    }

    static constexpr double kSlice = 100e-6;
    static constexpr double kQuiet = 200e-6;  ///< more than acknowledgements are delayed
    static constexpr double kLimit = 5;       ///< for what only a fault makes long

    Workers& workers_;
    End& a_;
    End& b_;
    Plan plan_;
    using Bytes = std::vector<std::byte, OwnLines<std::byte>>;
    Bytes message_;
    Bytes in_a_;
    Bytes in_b_;

    alignas(64) std::atomic<bool> over_{false};
    std::atomic<unsigned> begun_{0};
    alignas(64) std::atomic<std::size_t> found_{0};
    std::array<std::atomic<bool>, 2> quiet_{};
    std::atomic<bool> unreachable_{false};
    /// Of a's lcore, with what follows.
    alignas(64) std::shared_ptr<runtime::Histogram> ticks_ = std::make_shared<runtime::Histogram>();
    std::uint64_t waits_ = 0;
    Spent sending_{};
    std::uint64_t poured_ = 0;  ///< messages
    std::uint64_t slice_ = to_ticks(kSlice);
    alignas(64) std::vector<double> slices_{};  ///< messages a tick in each; of the lcore that receives them
    std::uint64_t slice_begin_ = 0;             ///< 0: before the first
    std::uint64_t arrived_ = 0;                 ///< since then
    std::uint64_t last_ = 0;                    ///< when the last came
    Spent receiving_{};
    alignas(64) std::atomic<std::uint64_t> drunk_{0};  ///< messages, where a window asks for them
};

}  // namespace isoplane::perf
