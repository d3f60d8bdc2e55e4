// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// A bank. All hosts move money between accounts on many pages, each move an isochron: it is taken here and
/// put there at one logical time. Host 0 audits meanwhile: it reads all accounts in one isochron, and always
/// finds the same sum, though nobody locks anything and nobody stops.
#include <cstdio>
#include <deque>
#include <numeric>
#include <random>
#include <vector>

#include "example.hh"

using namespace isoplane;

namespace {

using Money = std::int64_t;
using Account = shmem::Variable<Money>;

constexpr std::uint32_t kPages = 8;
constexpr std::uint32_t kMostAccounts = 256;
constexpr Money kEach = 1000;  ///< at first

Account account(std::uint32_t number) {
    return {example::Host::word(1 + number % kPages, 2 * (number / kPages))};
}

/// The accounts, as they are at one logical time.
struct Audit {
    std::vector<shmem::Future<Money>> accounts;
    Money expected;

    Audit(example::Host& host, std::uint32_t count) : expected(kEach * count) {
        shmem::Isochron isochron = host.isochron();
        for (std::uint32_t i = 0; i < count; ++i)
            accounts.push_back(isochron.read(account(i)));
        host.issue(isochron);
    }
    void check(example::Host& host) const {
        const Money sum = std::accumulate(
            accounts.begin(), accounts.end(), Money{0},
            [&](Money before, const shmem::Future<Money>& money) { return before + host.value(money); });
        if (sum != expected)
            throw example::Wrong("the accounts sum up to " + std::to_string(sum) + ", not " +
                                 std::to_string(expected));
    }
};

void move(example::Host& host, std::uint32_t from, std::uint32_t to, Money amount) {
    shmem::Isochron isochron = host.isochron();
    isochron.fetch_add(account(from), -amount);
    isochron.fetch_add(account(to), amount);
    host.issue(isochron);
}

}  // namespace

int main(int argc, char** argv) {
    unsigned moves = 2000;
    unsigned accounts = 64;
    boost::program_options::options_description options("Options");
    example::add_number(options, "moves", moves, 1'000'000'000, "of each host");
    example::add_number(options, "accounts", accounts, kMostAccounts, "of the bank");
    return example::run(
        argc, argv,
        {"bank", "All hosts move money between accounts, and one sees that none is ever missing.", kPages,
         example::at_two},
        options, [&](example::Host& host) {
            constexpr unsigned kMovesOfAudit = 20;
            constexpr std::size_t kAudits = 8;  // on their way at once
            shmem::Isochron isochron = host.isochron();
            for (std::uint32_t i = 0; host.node() == 0 && i < accounts; ++i)
                isochron.write(account(i), kEach);
            host.issue(isochron);
            host.meet();
            std::mt19937 random(host.node());
            std::uniform_int_distribution<std::uint32_t> any(0, accounts - 1);
            std::uniform_int_distribution<Money> amount(1, 99);
            std::deque<Audit> audits;
            unsigned audited = 0;
            for (unsigned i = 0; i < moves; ++i) {
                move(host, any(random), any(random), amount(random));
                if (host.node() == 0 && i % kMovesOfAudit == 0) audits.emplace_back(host, accounts);
                if (audits.size() <= kAudits) continue;
                audits.front().check(host);
                audits.pop_front();
                ++audited;
            }
            host.meet();
            audits.emplace_back(host, accounts);  // every host finds the same in the end
            for (const Audit& audit : audits)
                audit.check(host);
            audited += static_cast<unsigned>(audits.size());
            if (host.node() == 0)
                std::printf("%u moves of %u hosts, %u audits, never a coin missing\n", moves * host.nodes(),
                            host.nodes(), audited);
        });
}
