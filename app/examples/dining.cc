// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// Dining philosophers. Host i sits between forks i and i + 1. It reads and schedules both in one isochron:
/// from that logical time on nobody else gets their values before it has assigned them. So both are taken at
/// once, in an order that is the same everywhere: nobody starves, and there is no deadlock.
#include <array>
#include <cstdio>

#include "example.hh"

using namespace isoplane;

namespace {

using Number = shmem::Variable<std::uint32_t>;
constexpr std::uint32_t kNobody = 0;

struct Fork {
    Number meals;  ///< that were eaten with it
    Number user;   ///< who eats with it: the proof that nobody else does
};

Fork fork(std::uint32_t number) {
    return {{example::Host::word(1 + number % 16, number)}, {example::Host::word(17, number)}};
}

using Forks = std::array<Fork, 2>;

/// Lays its name beside both forks, and takes it away; nobody else's may be there.
void eat(example::Host& host, const Forks& forks) {
    const std::uint32_t me = host.node() + 1;
    for (const auto& [before, after] : {std::pair{kNobody, me}, std::pair{me, kNobody}}) {
        shmem::Isochron isochron = host.isochron();
        const std::array users{isochron.swap(forks[0].user, after), isochron.swap(forks[1].user, after)};
        host.issue(isochron);
        for (const auto& user : users) {
            if (host.value(user) != before)
                throw example::Wrong("host " + std::to_string(host.value(user) - 1) +
                                     " eats with the same fork");
        }
    }
}

void dine(example::Host& host, const Forks& forks) {
    shmem::Isochron isochron = host.isochron();
    const auto left = isochron.read(forks[0].meals), right = isochron.read(forks[1].meals);
    isochron.sched(forks[0].meals);
    isochron.sched(forks[1].meals);
    host.issue(isochron);
    const std::uint32_t left_meals = host.value(left), right_meals = host.value(right);  // the forks are here
    eat(host, forks);
    isochron.assign(forks[0].meals, left_meals + 1);
    isochron.assign(forks[1].meals, right_meals + 1);
    host.issue(isochron);
}

}  // namespace

int main(int argc, char** argv) {
    unsigned meals = 100;
    boost::program_options::options_description options("Options");
    example::add_number(options, "meals", meals, 10'000'000, "of each philosopher");
    return example::run(
        argc, argv,
        {"dining", "A philosopher on each host, who takes two forks at once by reading and scheduling them.",
         17, example::at_two, 2},
        options, [&](example::Host& host) {
            if (host.nodes() > 1000) throw example::Wrong("there are forks for 1000 philosophers");
            const Forks forks{fork(host.node()), fork((host.node() + 1) % host.nodes())};
            for (unsigned i = 0; i < meals; ++i)
                dine(host, forks);
            host.meet();
            shmem::Isochron isochron = host.isochron();
            const auto used = isochron.read(forks[0].meals);
            host.issue(isochron);
            if (host.value(used) != 2 * meals)
                throw example::Wrong("its left fork was used " + std::to_string(host.value(used)) +
                                     " times, not " + std::to_string(2 * meals));
            if (host.node() == 0)
                std::printf("%u philosophers have eaten %u times each, none beside another\n", host.nodes(),
                            meals);
        });
}
