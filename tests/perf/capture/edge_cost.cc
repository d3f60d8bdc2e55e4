// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// What a stage's edge costs a burst by there being captures at all: without the place for a tap, with it and
/// no capture, with a capture whose filter means nothing that passes, and with one of everything:
///
///     ninja -C build tests/perf/capture/edge_cost && build/tests/perf/capture/edge_cost
///
/// The output behind the edge takes the packets and does nothing with them, so that the edge is all there is.
/// Medians of samples that alternate. Exits 1 when a burst that nobody captures costs more than one and a
/// half times what it would without the place for a tap.

#include <rte_cycles.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <isoplane/runtime/capture.hh>
#include <isoplane/runtime/eal.hh>
#include <isoplane/runtime/pool.hh>
#include <string>
#include <vector>

namespace {

using namespace isoplane;

constexpr unsigned kSamples = 2001;
constexpr unsigned kBursts = 64;  ///< a sample
constexpr std::uint16_t kLength = 64;
constexpr double kMostRatio = 1.5;  ///< of no capture to no place for a tap

/// Takes everything; with the place for a tap, or as it would be without.
class Nowhere final : public runtime::Output {
  public:
    Nowhere() : Output("nowhere", Bytes::kNotCounted) {}

    [[gnu::noinline]] std::uint16_t send_plainly(rte_mbuf** packets, std::uint16_t n) noexcept {
        const std::uint16_t sent = do_send(packets, n);
        count(sent);
        return sent;
    }
    [[gnu::noinline]] std::uint16_t send_as_a_stage(rte_mbuf** packets, std::uint16_t n) noexcept {
        return send(packets, n);
    }

  private:
    std::uint16_t do_send(rte_mbuf** packets, std::uint16_t n) noexcept override {
        asm volatile("" : : "r"(packets) : "memory");
        return n;
    }
};

struct Case {
    const char* name;
    runtime::Tap* tap;
    bool plain = false;
    std::vector<double> cycles{};

    double median() {
        const auto middle = cycles.begin() + static_cast<std::ptrdiff_t>(cycles.size() / 2);
        std::nth_element(cycles.begin(), middle, cycles.end());
        return *middle;
    }
};

void sample(Case& what, Nowhere& out, runtime::Burst& burst) {
    out.set_tap(what.tap);
    const std::uint64_t begin = rte_rdtsc();
    for (unsigned i = 0; i < kBursts; ++i) {
        if (what.plain)
            out.send_plainly(burst.data(), runtime::kBurst);
        else
            out.send_as_a_stage(burst.data(), runtime::kBurst);
    }
    what.cycles.push_back(static_cast<double>(rte_rdtsc() - begin) / kBursts);
    out.set_tap(nullptr);
}

}  // namespace

int main() {
    const runtime::Eal eal({.memory_mb = 256});
    bool met = false;
    const std::string file = std::filesystem::temp_directory_path() / "isoplane-edge-cost.pcapng";
    {
        runtime::Pool pool("packets", 1023, 2048);
        runtime::Burst burst;
        for (rte_mbuf*& packet : burst) {
            packet = pool.packet().release();
            std::fill_n(rte_pktmbuf_append(packet, kLength), kLength, 'x');
        }
        runtime::Capture other({.file = file, .filter = "udp port 9"});
        runtime::Capture all({.file = file + ".all"});
        const auto tap_of = [](runtime::Capture& capture) {
            return &capture.tap(capture.add_interface("edge", ""), runtime::pcapng::Direction::kOut);
        };
        Nowhere out;
        Case cases[] = {{"no place for a tap", nullptr, true},
                        {"no capture", nullptr},
                        {"a capture of other packets", tap_of(other)},
                        {"a capture of all", tap_of(all)}};
        for (unsigned i = 0; i < kSamples; ++i)
            for (Case& each : cases)
                sample(each, out, burst);
        std::printf("cycles for a burst of %u packets of %u bytes:\n", runtime::kBurst, kLength);
        for (Case& each : cases)
            std::printf("%8.1f  %s\n", each.median(), each.name);
        const double ratio = cases[1].median() / cases[0].median();
        met = ratio <= kMostRatio;
        std::printf("no capture, to no place for a tap, at most %.1f: %.2f, %s\n", kMostRatio, ratio,
                    met ? "met" : "missed");
        rte_pktmbuf_free_bulk(burst.data(), runtime::kBurst);
    }
    std::filesystem::remove(file);
    std::filesystem::remove(file + ".all");
    return met ? 0 : 1;
}
