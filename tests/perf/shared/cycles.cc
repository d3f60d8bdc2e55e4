// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// What a message costs a shared node, by how many clients share its port, and how equal their shares are:
///
///     ninja -C build tests/perf/shared/cycles && build/tests/perf/shared/cycles
///
/// Clients and node take turns on one thread, so that only the node's part is measured, and nothing depends
/// on who is given a CPU. Medians of samples that alternate.

#include <rte_cycles.h>

#include <algorithm>
#include <cstdio>
#include <isoplane/runtime/eal.hh>

#include "../../unit/share/clients.hh"

namespace {

using namespace isoplane;
using namespace isoplane::test;

constexpr unsigned kSamples = 4001;
constexpr unsigned kEach = 64;  ///< frames that each client has waiting

const Identity kFar = identity(99);

/// A node with so many clients.
struct Figures {
    Figures(unsigned clients, bool to_each_other, std::uint16_t bytes) : local(to_each_other), size(bytes) {
        for (std::uint16_t i = 0; i < clients; ++i) {
            all.push_back(std::make_unique<Client>(identity(i), 1023, 512));
            node.exchange.attach(all.back()->guest);
        }
    }
    void sample() {
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i]->send(local ? identity(static_cast<std::uint16_t>((i + 1) % all.size())) : kFar, kEach,
                         size);
        std::uint64_t spent = 0;
        unsigned all_moved = 0;
        for (unsigned moved = 1; moved != 0; all_moved += moved) {
            const std::uint64_t begin = rte_rdtsc();
            moved = node.poll();
            if (moved != 0) spent += rte_rdtsc() - begin;
        }
        cycles.push_back(static_cast<double>(spent) / std::max(1U, all_moved));
        node.port.out.clear();
        for (const auto& client : all)
            client->take();
    }
    double median() {
        std::nth_element(cycles.begin(), cycles.begin() + static_cast<long>(cycles.size() / 2), cycles.end());
        return cycles[cycles.size() / 2];
    }

    bool local;
    std::uint16_t size;
    SharedNode node;
    std::vector<std::unique_ptr<Client>> all;
    std::vector<double> cycles;
};

/// Of greedy clients at a port that takes less than one of them would send.
double fairness(unsigned clients) {
    SharedNode node;
    std::vector<std::unique_ptr<Client>> all;
    for (std::uint16_t i = 0; i < clients; ++i) {
        all.push_back(std::make_unique<Client>(identity(i), 1023, 16));
        node.exchange.attach(all.back()->guest);
    }
    for (unsigned round = 0; round < 100'000; ++round) {
        for (const auto& client : all)
            client->send(kFar, 2);
        node.port.out.room = 7;
        node.poll();
        node.port.out.clear();
    }
    return fairness(all);
}

void compare(bool local, std::uint16_t size) {
    Figures one(local ? 2 : 1, local, size);
    Figures eight(8, local, size);
    for (unsigned i = 0; i < kSamples; ++i) {
        one.sample();
        eight.sample();
    }
    std::printf("%4u bytes %-22s %6.1f cycles a message with %zu, %6.1f with 8: %.3f\n", size,
                local ? "to each other:" : "out of the port:", one.median(), one.all.size(), eight.median(),
                eight.median() / one.median());
}

}  // namespace

int main() {
    runtime::EalOptions options;
    options.memory_mb = 512;
    options.hugepages = runtime::Hugepages::kNever;
    options.telemetry = false;
    const runtime::Eal eal(options);
    for (const std::uint16_t size : {std::uint16_t{64}, std::uint16_t{256}, std::uint16_t{1514}}) {
        compare(false, size);
        compare(true, size);
    }
    std::printf("fairness index of 8 greedy clients: %.4f\n", fairness(8));
    return 0;
}
