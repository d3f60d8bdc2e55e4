// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Drinking philosophers: any two share a bottle, and who is thirsty wants some of its bottles, others each
/// time. One isochron reads and schedules whatever it wants, however many, and nobody who wants none of them
/// waits.
#include <cstdio>
#include <random>
#include <vector>

#include "example.hh"

using namespace isoplane;

namespace {

using Number = shmem::Variable<std::uint32_t>;
constexpr std::uint32_t kMostPhilosophers = 32;
constexpr Number kDrunk{example::Host::word(1, 1000)};  ///< by all

/// The sips that were taken from it, and who drinks.
struct Bottle {
    Number sips;
    Number user;
};

/// Of two philosophers, whoever asks.
Bottle bottle(std::uint32_t one, std::uint32_t other) {
    const std::uint32_t number = std::min(one, other) * kMostPhilosophers + std::max(one, other);
    return {{example::Host::word(1 + number % 4, number / 4)}, {example::Host::word(5, number % 1024)}};
}

/// Some of those that it shares, at least one.
std::vector<Bottle> choose(const example::Host& host, std::mt19937& random) {
    std::vector<Bottle> chosen;
    while (chosen.empty()) {
        for (std::uint32_t other = 0; other < host.nodes(); ++other) {
            if (other != host.node() && random() % 2 == 0) chosen.push_back(bottle(host.node(), other));
        }
    }
    return chosen;
}

/// Says at all of them at once that it drinks, or drinks no more.
void mark(example::Host& host, const std::vector<Bottle>& bottles, std::uint32_t before,
          std::uint32_t after) {
    shmem::Isochron isochron = host.isochron();
    std::vector<shmem::Future<std::uint32_t>> users;
    for (const Bottle& bottle : bottles)
        users.push_back(isochron.swap(bottle.user, after));
    host.issue(isochron);
    for (const auto& user : users) {
        if (host.value(user) != before)
            throw example::Wrong("host " + std::to_string(host.value(user) - 1) +
                                 " drinks from the same bottle");
    }
}

void drink(example::Host& host, const std::vector<Bottle>& bottles) {
    shmem::Isochron isochron = host.isochron();
    std::vector<shmem::Future<std::uint32_t>> sips;
    for (const Bottle& bottle : bottles) {
        sips.push_back(isochron.read(bottle.sips));
        isochron.sched(bottle.sips);
    }
    host.issue(isochron);
    for (const auto& future : sips)
        host.wait(future);
    mark(host, bottles, 0, host.node() + 1);
    mark(host, bottles, host.node() + 1, 0);
    for (std::size_t i = 0; i < bottles.size(); ++i)
        isochron.assign(bottles[i].sips, sips[i].value() + 1);
    isochron.fetch_add(kDrunk, static_cast<std::uint32_t>(bottles.size()));
    host.issue(isochron);
}

/// As many sips are missing from the bottles as were drunk.
void verify(example::Host& host) {
    shmem::Isochron isochron = host.isochron();
    std::vector<shmem::Future<std::uint32_t>> sips;
    for (std::uint32_t one = 0; one < host.nodes(); ++one) {
        for (std::uint32_t other = one + 1; other < host.nodes(); ++other)
            sips.push_back(isochron.read(bottle(one, other).sips));
    }
    const auto drunk = isochron.read(kDrunk);
    host.issue(isochron);
    std::uint32_t missing = 0;
    for (const auto& future : sips)
        missing += host.value(future);
    if (missing != host.value(drunk))
        throw example::Wrong(std::to_string(missing) + " sips are missing from the bottles, " +
                             std::to_string(host.value(drunk)) + " were drunk");
    if (host.node() == 0)
        std::printf("%u sips from %zu bottles, no two at once from one\n", missing, sips.size());
}

}  // namespace

int main(int argc, char** argv) {
    unsigned drinks = 100;
    boost::program_options::options_description options("Options");
    example::add_number(options, "drinks", drinks, 10'000'000, "of each philosopher");
    return example::run(
        argc, argv,
        {"drinking",
         "A philosopher on each host, who drinks from some of the bottles it shares with each other.", 5,
         example::at_two, 2},
        options, [&](example::Host& host) {
            if (host.nodes() > kMostPhilosophers)
                throw example::Wrong("there are bottles for " + std::to_string(kMostPhilosophers) +
                                     " philosophers");
            std::mt19937 random(host.node());
            for (unsigned i = 0; i < drinks; ++i)
                drink(host, choose(host, random));
            host.meet();
            verify(host);
        });
}
