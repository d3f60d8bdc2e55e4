// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Times the steps of a transport's messages.
#pragma once

#include <rte_cycles.h>

#include <algorithm>
#include <array>
#include <isoplane/runtime/edge.hh>
#include <numeric>
#include <vector>

#include "breakdown.hh"
#include "side.hh"
#include "transport.hh"
#include "workers.hh"

namespace isoplane::perf {

inline constexpr unsigned kBatches = 4000;
inline constexpr unsigned kWarmUp = 500;

/// Ticks that reading the counter adds to what is timed.
inline std::uint64_t cost_of_reading() {
    std::uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i < 1000; ++i) {
        const std::uint64_t begin = rte_rdtsc();
        least = std::min(least, rte_rdtsc() - begin);
    }
    return least;
}

/// Ticks spent on something within a batch, and how often the counter was read for it.
struct Spent {
    std::uint64_t ticks = 0;
    std::uint64_t times = 0;

    void since(std::uint64_t begin) noexcept {
        ticks += rte_rdtsc() - begin;
        ++times;
    }
    double without(std::uint64_t reading) const noexcept {
        return static_cast<double>(ticks) - static_cast<double>(times * reading);
    }
};

/// The edges of a link, timed.
class TimedInput final : public runtime::Input {
  public:
    explicit TimedInput(runtime::Input& input) : Input("timed", Bytes::kNotCounted), input_(input) {}
    Spent spent;

  private:
    std::uint16_t do_receive(rte_mbuf** packets, std::uint16_t room) noexcept override {
        const std::uint64_t begin = rte_rdtsc();
        const std::uint16_t n = input_.receive(packets, room);
        spent.since(begin);
        return n;
    }
    runtime::Input& input_;
};

class TimedOutput final : public runtime::Output {
  public:
    explicit TimedOutput(runtime::Output& output) : Output("timed", Bytes::kNotCounted), output_(output) {}
    Spent spent;

  private:
    std::uint16_t do_send(rte_mbuf** packets, std::uint16_t n) noexcept override {
        const std::uint64_t begin = rte_rdtsc();
        const std::uint16_t sent = output_.send(packets, n);
        spent.since(begin);
        return sent;
    }
    runtime::Output& output_;
};

struct TimedEdges {
    explicit TimedEdges(Side& side) : input(side.link->input()), output(side.link->output()) {}
    TimedInput input;
    TimedOutput output;
};

/// The mean without the highest twentieth, in which something else had the CPU. A median would leave out what
/// happens once in several batches.
inline double typical(std::vector<double>& values) {
    std::ranges::sort(values);
    values.resize(values.size() - values.size() / 20);
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

template <Transport End>
class Bench {
  public:
    Bench(End& a, TimedEdges& edges_a, End& b, TimedEdges& edges_b, std::size_t size)
        : a_(a), b_(b), edges_a_(edges_a), edges_b_(edges_b), message_(size), room_(size) {}

    void run() {
        if constexpr (requires { b_.use(room_); }) b_.use(room_);
        a_.begin(message_.size());
        b_.begin(message_.size());
        for (bool met = false; !met && !is_late();) {
            const bool a_ready = a_.ready();
            met = b_.ready() && a_ready;
        }
        for (unsigned i = 0; i < kWarmUp + kBatches && !is_late(); ++i) {
            clear();
            batch();
            if (i >= kWarmUp) note();
        }
        while (!(a_.settled() && b_.settled()) && !is_late()) {
            for (End* end : {&a_, &b_}) {
                end->poll();
                serve(*end);
            }
        }
    }

    /// A link that loses frames has stopped it in the middle.
    bool failed() const noexcept { return ticks_[0].size() < kBatches; }

    std::array<double, kSteps.size()> cycles() {
        std::array<double, kSteps.size()> result{};
        std::ranges::transform(ticks_, result.begin(),
                               [](auto& of_step) { return typical(of_step) / kBatch; });
        return result;
    }

  private:
    template <typename What>
    void time(Step step, What&& what) {
        const std::uint64_t begin = rte_rdtsc();
        what();
        spent_[static_cast<std::size_t>(step)].since(begin);
    }

    /// An end whose polls do not call handlers, so that these are timed by themselves.
    static void serve(End& end) {
        if constexpr (requires { end.serve(); }) end.serve();
    }

    void batch() {
        unsigned sent = 0;
        unsigned received = 0;
        time(Step::kSend, [&] {
            while (sent < kBatch && a_.send(message_))
                ++sent;
        });
        time(Step::kSenderPoll, [&] { a_.poll(); });
        while (received < sent && !is_late()) {
            time(Step::kReceiverPoll, [&] { b_.poll(); });
            time(Step::kReceive, [&] {
                serve(b_);
                while (b_.receive(room_))
                    ++received;
            });
        }
        // What is answered by handlers leaves with the next poll.
        if constexpr (requires { b_.serve(); }) time(Step::kReceiverPoll, [&] { b_.poll(); });
        time(Step::kAcknowledge, [&] {
            a_.poll();
            serve(a_);
        });
    }

    bool is_late() const noexcept { return rte_rdtsc() > limit_; }

    void clear() {
        spent_ = {};
        for (TimedEdges* edges : {&edges_a_, &edges_b_}) {
            edges->input.spent = {};
            edges->output.spent = {};
        }
    }

    /// What the edges took is taken off the polls they were called from: all of the sending, and most of the
    /// receiving, is where its name says.
    void note() {
        std::array<double, kSteps.size()> ticks{};
        for (std::size_t i = 0; i < ticks.size(); ++i)
            ticks[i] = spent_[i].without(reading_);
        const auto at = [&](Step step) -> double& { return ticks[static_cast<std::size_t>(step)]; };
        const auto inside = [&](const Spent& spent) {
            return static_cast<double>(spent.ticks + spent.times * reading_);
        };
        at(Step::kTransmit) = edges_a_.output.spent.without(reading_);
        at(Step::kArrive) = edges_b_.input.spent.without(reading_);
        at(Step::kSenderPoll) -= inside(edges_a_.output.spent);
        at(Step::kReceiverPoll) -= inside(edges_b_.input.spent);
        for (std::size_t i = 0; i < ticks.size(); ++i)
            ticks_[i].push_back(ticks[i]);
    }

    End& a_;
    End& b_;
    TimedEdges& edges_a_;
    TimedEdges& edges_b_;
    std::uint64_t limit_ = rte_rdtsc() + 5 * rte_get_tsc_hz();
    std::uint64_t reading_ = cost_of_reading();
    std::vector<std::byte> message_;
    std::vector<std::byte> room_;
    std::array<Spent, kSteps.size()> spent_{};
    std::array<std::vector<double>, kSteps.size()> ticks_{};
};

/// `make` makes an end, of two, on edges of its link. A transport that cannot finish is left out.
template <typename Make>
void add_costs(std::vector<Costs>& all, const std::string& transport, Workers& workers, Sides& sides,
               std::size_t size, Make&& make) {
    TimedEdges edges_a(sides[0]);
    TimedEdges edges_b(sides[1]);
    const auto a = make(0, edges_a);
    const auto b = make(1, edges_b);
    if constexpr (requires { a->face(*b); }) {
        a->face(*b);
        b->face(*a);
    }
    Bench bench(*a, edges_a, *b, edges_b, size);
    workers.run([&] { bench.run(); }, [] {});
    if (!bench.failed()) all.push_back({transport, bench.cycles()});
}

}  // namespace isoplane::perf
