// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// How many writes go. Every host issues isochrons, each of which writes its number to one variable on each
/// of many pages, and waits for none of them. What was written last has to be of one isochron, everywhere.
#include <chrono>
#include <cstdio>
#include <vector>

#include "example.hh"

using namespace isoplane;

namespace {

constexpr std::uint32_t kPages = 16;

/// Of 64 bits: which host has written it, and the how manieth isochron of that.
shmem::Variable<std::uint64_t> on(std::uint32_t page) {
    return {example::Host::word(page, 0)};
}

void write(example::Host& host, unsigned isochrons, unsigned writes) {
    shmem::Isochron isochron = host.isochron();
    for (std::uint64_t i = 1; i <= isochrons; ++i) {
        for (std::uint32_t page = 1; page <= writes; ++page)
            isochron.write(on(page), std::uint64_t{host.node()} << 32 | i);
        host.issue(isochron);
    }
}

void verify(example::Host& host, unsigned isochrons, unsigned writes) {
    shmem::Isochron isochron = host.isochron();
    std::vector<shmem::Future<std::uint64_t>> read;
    for (std::uint32_t page = 1; page <= writes; ++page)
        read.push_back(isochron.read(on(page)));
    host.issue(isochron);
    const std::uint64_t first = host.value(read.front());
    for (const auto& other : read) {
        if (host.value(other) != first) throw example::Wrong("the last isochron is not everywhere");
    }
    if ((first & 0xffffffff) != isochrons) throw example::Wrong("the last isochron of its host is missing");
}

}  // namespace

int main(int argc, char** argv) {
    unsigned isochrons = 10'000;
    unsigned writes = kPages;
    boost::program_options::options_description options("Options");
    example::add_number(options, "isochrons", isochrons, 1'000'000'000, "that each host issues");
    example::add_number(options, "writes", writes, kPages, "in each");
    return example::run(
        argc, argv,
        {"throughput",
         "Every host issues isochrons of writes to pages at two hosts each, as fast as they go.", kPages,
         example::at_two},
        options, [&](example::Host& host) {
            host.meet();
            const auto begin = std::chrono::steady_clock::now();
            write(host, isochrons, writes);
            host.meet();
            const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
            verify(host, isochrons, writes);
            if (host.node() == 0) {
                const double all = static_cast<double>(isochrons) * host.nodes() / took.count();
                std::printf("%.0f isochrons/s of all hosts, %.0f writes/s\n", all, all * writes);
            }
        });
}
