// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "portals_figures.hh"

#include <rte_cycles.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <isoplane/nal/loopback.hh>
#include <numeric>

#include "contest.hh"

namespace isoplane::perf {

namespace {

using namespace portals;

constexpr unsigned kLongestList = 4096;

std::uint64_t middle_of(std::vector<std::uint64_t> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

double mean_of(const std::vector<std::uint64_t>& values) {
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    return sum / static_cast<double>(values.size());
}

/// Time of one arrival, in nanoseconds.
double arrival(Interface& ni, Bits bits) {
    constexpr unsigned kTimes = 2000;
    const Header header{.type = MessageType::kPut,
                        .target = ni.id(),
                        .initiator = {1, 1},
                        .uid = ni.uid(),
                        .match_bits = bits};
    std::vector<std::uint64_t> ticks(kTimes);
    for (std::uint64_t& one : ticks) {
        const std::uint64_t begin = rte_rdtsc();
        const Landing landing = ni.arrive(header);
        ni.landed(landing.operation);
        one = rte_rdtsc() - begin;
    }
    return static_cast<double>(middle_of(ticks)) * 1e9 / static_cast<double>(rte_get_tsc_hz());
}

/// The same every time, and nothing that a compiler could leave out.
std::uint64_t compute(std::uint64_t steps) {
    std::uint64_t x = 88172645463325252U;
    for (std::uint64_t i = 0; i < steps; ++i) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    return x;
}

}  // namespace

std::vector<Matching> measure_matching() {
    std::vector<Matching> all;
    nal::Loopback nal;
    Interface ni(0, nal, {});
    ni.open(kAny);
    unsigned entries = 0;
    for (unsigned length = 1; length <= kLongestList; length *= 4) {
        for (; entries < length; ++entries) {
            Handle entry = kInvalid;
            Handle md = kInvalid;
            ni.attach_entry(0, {.bits = entries}, Position::kAfter, entry);
            ni.attach(entry,
                      {.start = nullptr,
                       .length = 0,
                       .threshold = kInfinite,
                       .max_size = 0,
                       .options = kOpPut,
                       .user_ptr = nullptr,
                       .eq = kNoQueue},
                      Unlink::kRetain, Unlink::kRetain, md);
        }
        all.push_back({length, arrival(ni, 0), arrival(ni, length - 1)});
    }
    return all;
}

Overlap measure_overlap(Workers& workers, PortalsEnd& from, PortalsEnd& to, double seconds) {
    constexpr std::size_t kSize = std::size_t{1} << 20;
    constexpr std::uint64_t kOperations = 2'000'000;
    std::vector<std::byte> message(kSize);
    std::vector<std::byte> room(kSize);
    std::vector<std::uint64_t> alone;
    std::vector<std::uint64_t> together;
    std::atomic<bool> over{false};
    std::atomic<bool> coming{false};
    std::atomic<std::uint64_t> sink{0};
    std::uint64_t received = 0;
    const auto computed = [&sink] {
        const std::uint64_t begin = rte_rdtsc();
        sink.fetch_add(compute(kOperations), std::memory_order_relaxed);
        return rte_rdtsc() - begin;
    };
    const auto calculate = [&] {
        const std::uint64_t first = rte_rdtsc() + to_ticks(seconds);
        do
            alone.push_back(computed());
        while (rte_rdtsc() < first);
        coming.store(true, std::memory_order_release);
        const std::uint64_t last = rte_rdtsc() + to_ticks(seconds);
        do
            together.push_back(computed());
        while (rte_rdtsc() < last);
        over.store(true, std::memory_order_release);
    };
    std::uint64_t ticks = 0;
    const auto communicate = [&] {
        runtime::Idler idler = workers.idler();
        while (!coming.load(std::memory_order_acquire))
            idler.step(false);
        to.use(room);
        from.use(room);
        to.begin(kSize);
        from.begin(kSize);
        const std::uint64_t begin = rte_rdtsc();
        while (!over.load(std::memory_order_acquire)) {
            from.send(message);
            from.poll();
            to.poll();
            while (to.receive(room))
                ++received;
            from.receive(room);
        }
        ticks = rte_rdtsc() - begin;
        while (!from.settled() || !to.settled()) {
            from.poll();
            to.poll();
            while (to.receive(room)) {
            }
            from.receive(room);
        }
        from.forget();
        to.forget();
    };
    workers.run(calculate, communicate);
    return {mean_of(alone) / mean_of(together), static_cast<double>(received * kSize) *
                                                    static_cast<double>(rte_get_tsc_hz()) /
                                                    static_cast<double>(ticks)};
}

double measure_copy(std::size_t size, double seconds) {
    std::vector<std::byte> from(size, std::byte{1});
    std::vector<std::byte> to(size);
    std::vector<std::uint64_t> ticks;
    const std::uint64_t last = rte_rdtsc() + to_ticks(seconds);
    do {
        const std::uint64_t begin = rte_rdtsc();
        std::memcpy(to.data(), from.data(), size);
        std::atomic_signal_fence(std::memory_order_seq_cst);
        ticks.push_back(rte_rdtsc() - begin);
    } while (rte_rdtsc() < last);
    return static_cast<double>(size) * static_cast<double>(rte_get_tsc_hz()) /
           static_cast<double>(middle_of(ticks));
}

}  // namespace isoplane::perf
