// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// A parallel rule system. The facts are numbers in shared memory; a rule says for which two facts it holds,
/// and what becomes of them. All hosts look for facts that match, and fire at once: who fires takes its two
/// facts by reading and scheduling them in one isochron, looks again, and assigns. So each firing is as if it
/// were alone, and those that share no fact do not wait for each other. It ends when no rule holds any more:
/// these leave the primes.
#include <array>
#include <cstdio>
#include <vector>

#include "example.hh"

using namespace isoplane;

namespace {

using Fact = std::uint32_t;  ///< 0 is none
using Cell = shmem::Variable<Fact>;

struct Rule {
    const char* name;
    bool (*holds)(Fact first, Fact second);  ///< `first` stands in front
    void (*fire)(Fact& first, Fact& second);
};

constexpr std::array kRules{
    Rule{"a multiple goes",
         [](Fact first, Fact second) { return first != 0 && second > first && second % first == 0; },
         [](Fact&, Fact& second) { second = 0; }},
    Rule{"in any order",
         [](Fact first, Fact second) { return second != 0 && first > second && first % second == 0; },
         [](Fact& first, Fact&) { first = 0; }},
    Rule{"gaps go to the end", [](Fact first, Fact second) { return first == 0 && second != 0; },
         [](Fact& first, Fact& second) { std::swap(first, second); }},
    Rule{"smaller ones go in front", [](Fact first, Fact second) { return second != 0 && first > second; },
         [](Fact& first, Fact& second) { std::swap(first, second); }},
};

constexpr std::uint32_t kMostFacts = 512;

Cell cell(std::uint32_t number) {
    return {example::Host::word(1, number)};
}
constexpr Cell kFired{example::Host::word(2, 0)};  ///< rules, by all

const Rule* matching(Fact first, Fact second) {
    for (const Rule& rule : kRules) {
        if (rule.holds(first, second)) return &rule;
    }
    return nullptr;
}

std::vector<Fact> all_facts(example::Host& host, std::uint32_t facts) {
    shmem::Isochron isochron = host.isochron();
    const auto read = isochron.read(shmem::Block{cell(0).at, facts});
    host.issue(isochron);
    host.wait(read);
    return {read.words().begin(), read.words().end()};
}

/// Whether one was fired. It may hold no more: then its facts are given back as they were.
bool fire(example::Host& host, Cell one, Cell other) {
    shmem::Isochron isochron = host.isochron();
    const auto read_one = isochron.read(one), read_other = isochron.read(other);
    isochron.sched(one);
    isochron.sched(other);
    host.issue(isochron);
    Fact first = host.value(read_one), second = host.value(read_other);
    const Rule* const rule = matching(first, second);
    if (rule != nullptr) rule->fire(first, second);
    isochron.assign(one, first);
    isochron.assign(other, second);
    host.issue(isochron);
    return rule != nullptr;
}

/// Goes through this host's part of all pairs once.
std::uint32_t look(example::Host& host, std::uint32_t count) {
    std::uint32_t fired = 0;
    std::vector<Fact> facts = all_facts(host, count);
    for (std::uint32_t i = 0; i < count; ++i) {
        for (std::uint32_t j = i + 1; j < count; ++j) {
            if ((i + j) % host.nodes() != host.node() || matching(facts[i], facts[j]) == nullptr) continue;
            fired += fire(host, cell(i), cell(j)) ? 1 : 0;
            facts = all_facts(host, count);
        }
    }
    return fired;
}

/// Rounds until one in which nothing was fired. Returns how often any was.
std::uint32_t run_rules(example::Host& host, std::uint32_t count) {
    for (std::uint32_t before = 0;;) {
        shmem::Isochron isochron = host.isochron();
        isochron.fetch_add(kFired, look(host, count));
        host.issue(isochron);
        host.meet();
        const auto fired = isochron.read(kFired);
        host.issue(isochron);
        if (host.value(fired) == before) return before;
        before = host.value(fired);
        host.meet();  // all have read it
    }
}

bool is_prime(Fact number) {
    for (Fact divisor = 2; divisor * divisor <= number; ++divisor) {
        if (number % divisor == 0) return false;
    }
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    unsigned count = 32;
    boost::program_options::options_description options("Options");
    example::add_number(options, "facts", count, kMostFacts, "numbers to begin with, from 2 on");
    return example::run(argc, argv,
                        {"rules", "A parallel rule system, whose rules leave the primes among numbers.", 2,
                         example::everywhere},
                        options, [&](example::Host& host) {
                            shmem::Isochron isochron = host.isochron();
                            for (std::uint32_t i = 0; host.node() == 0 && i < count; ++i)
                                isochron.write(cell(i), count + 1 - i);
                            host.issue(isochron);
                            host.meet();
                            const std::uint32_t fired = run_rules(host, count);
                            std::vector<Fact> primes(count);
                            std::uint32_t found = 0;
                            for (Fact number = 2; number <= count + 1; ++number) {
                                if (is_prime(number)) primes[found++] = number;
                            }
                            if (all_facts(host, count) != primes)
                                throw example::Wrong("what is left are not the primes in order");
                            if (host.node() == 0)
                                std::printf("%u rules fired, %u primes are left\n", fired, found);
                        });
}
