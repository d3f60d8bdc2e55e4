// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// How long a read takes. The last host reads a variable of which only host 0 has a copy, and one of which it
/// has a copy itself. A read waits for its place in logical time, then its answer comes back outside it.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "example.hh"

using namespace isoplane;

namespace {

using Number = shmem::Variable<std::uint32_t>;
using Clock = std::chrono::steady_clock;

std::string at_one(std::uint32_t page, std::uint32_t hosts) {
    return std::to_string(page == 1 ? 0 : hosts - 1);
}

/// Writes numbers, and returns how long it took to read each back, in microseconds, the shortest first.
std::vector<double> read_times(example::Host& host, Number number, unsigned reads) {
    std::vector<double> times;
    shmem::Isochron isochron = host.isochron();
    for (std::uint32_t i = 0; i < reads; ++i) {
        isochron.write(number, i);
        host.issue(isochron);
        const Clock::time_point begin = Clock::now();
        const auto read = isochron.read(number);
        host.issue(isochron);
        const std::uint32_t found = host.value(read);
        times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
        if (found != i)
            throw example::Wrong("read " + std::to_string(found) + " behind a write of " + std::to_string(i));
    }
    std::sort(times.begin(), times.end());
    return times;
}

void print(const char* what, const std::vector<double>& times) {
    std::printf("%s read: median %.2f us, 99 of 100 within %.2f us\n", what, times[times.size() / 2],
                times[times.size() * 99 / 100]);
}

}  // namespace

int main(int argc, char** argv) {
    unsigned reads = 200;
    boost::program_options::options_description options("Options");
    example::add_number(options, "reads", reads, 10'000'000, "of each kind");
    return example::run(
        argc, argv,
        {"latency", "The last host reads a variable at host 0, and one of its own: how long that takes.", 2,
         at_one},
        options, [&](example::Host& host) {
            if (host.node() == host.nodes() - 1) {
                if (host.nodes() > 1) print("remote", read_times(host, {example::Host::word(1, 0)}, reads));
                print("local", read_times(host, {example::Host::word(2, 0)}, reads));
            }
            host.meet();
        });
}
