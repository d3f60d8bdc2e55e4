// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// What must be true of shared memory when those who are left have come to rest; and of what all have found
/// in it while they lived.

#include <algorithm>
#include <set>

#include "shmem_mortal_network.hh"

namespace isoplane::test {

using topology::NodeId;

namespace {

std::string named(shmem::Address at) {
    return "word " + std::to_string(at);
}

std::uint64_t value_of(const shmem::Store& store, shmem::Address at) {
    if (at % kMortalExtent.page_words != kWideCounter) return store.word(at);
    return std::uint64_t{store.word(at)} << 32 | store.word(at + 1);
}

/// As of the pulse in which the later of the two came.
std::vector<ShmemNotice> notices_from(const ShmemLife& life, const ShmemNotice& from) {
    std::vector<ShmemNotice> told = life.notices;
    std::erase_if(told, [&](const ShmemNotice& notice) {
        return notice.pulse < from.pulse || (notice.pulse == from.pulse && !notice.joined);
    });
    return told;
}

/// When it was told that it has joined itself; all zeros if it was there from the start.
ShmemNotice joined(const ShmemLife& life) {
    const auto at = std::ranges::find_if(
        life.notices, [&](const ShmemNotice& n) { return n.joined && n.host == life.host; });
    return at == life.notices.end() ? ShmemNotice{} : *at;
}

}  // namespace

/// It has been there all the time.
bool MortalShmemNetwork::has_survived(std::size_t host) const {
    constexpr std::uint32_t kFirst = 1;
    return hosts_[host]->takes_part() && present_[host]->epoch == kFirst + host;
}

std::string MortalShmemNetwork::check(bool is_over) const {
    for (const ShmemLife& life : lives_)
        if (!life.wrong.empty()) return topology_.name(life.host) + ": " + life.wrong;
    for (const ShmemLife& life : lives_)
        if (std::string wrong = check_twins(life); !wrong.empty()) return wrong;
    if (!is_over) return {};
    for (const auto& each : {&MortalShmemNetwork::compare_copies, &MortalShmemNetwork::compare_notices,
                             &MortalShmemNetwork::check_messages, &MortalShmemNetwork::check_counters})
        if (std::string wrong = (this->*each)(); !wrong.empty()) return wrong;
    return {};
}

std::string MortalShmemNetwork::compare_copies() const {
    constexpr shmem::Address kAll = kMortalExtent.pages * kMortalExtent.page_words;
    for (shmem::Address at = 0; at < kAll; ++at) {
        const shmem::Store* first = nullptr;
        for (const auto& host : hosts_) {
            if (!host->takes_part()) continue;
            const shmem::Memory& memory = host->present().memory();
            if (!memory.pages().page(at).is_here()) continue;
            const shmem::Store& store = memory.store();
            if (!store.has_value(at)) return named(at) + " has no value at " + host->name();
            if (first == nullptr) first = &store;
            if (store.word(at) != first->word(at))
                return named(at) + " at " + host->name() + " is not as at others";
        }
    }
    for (const auto& host : hosts_) {
        if (!host->takes_part()) continue;
        const shmem::Memory& memory = host->present().memory();
        if (memory.counters().malformed.get() + memory.store().counters().misplaced.get() != 0)
            return host->name() + " got what no host sends";
        if (memory.store().blocked() != 0) return host->name() + " still blocks a read";
        if (memory.reads().outstanding() != 0) return host->name() + " still waits for a read";
    }
    return {};
}

std::string MortalShmemNetwork::compare_notices() const {
    for (std::size_t a = 0; a < hosts_.size(); ++a) {
        for (std::size_t b = 0; b < a; ++b) {
            if (!hosts_[a]->takes_part() || !hosts_[b]->takes_part()) continue;
            const ShmemLife& one = *present_[a];
            const ShmemLife& other = *present_[b];
            const ShmemNotice from = std::max(joined(one), joined(other),
                                              [](const auto& x, const auto& y) { return x.pulse < y.pulse; });
            if (notices_from(one, from) != notices_from(other, from))
                return hosts_[a]->name() + " and " + hosts_[b]->name() +
                       " were not told the same of who has left and joined";
        }
    }
    return {};
}

std::string MortalShmemNetwork::check_messages() const {
    for (std::size_t a = 0; a < hosts_.size(); ++a) {
        for (std::size_t b = 0; b < hosts_.size(); ++b) {
            if (!has_survived(a) || !has_survived(b)) continue;
            const auto count = [](const auto& counts, std::size_t host) {
                const auto at = counts.find(static_cast<NodeId>(host));
                return at == counts.end() ? 0 : at->second;
            };
            if (count(present_[a]->sent, b) != count(present_[b]->received, a))
                return hosts_[b]->name() + " has not received all messages of " + hosts_[a]->name();
        }
    }
    return {};
}

/// A host that has been there all the time and holds it; without one it may have begun with zeros again.
const shmem::Store* MortalShmemNetwork::survivor_with(shmem::Address at) const {
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
        if (!has_survived(i)) continue;
        const shmem::Memory& memory = hosts_[i]->present().memory();
        if (memory.pages().page(at).is_here()) return &memory.store();
    }
    return nullptr;
}

std::string MortalShmemNetwork::check_counters() const {
    for (shmem::Address page = 0; page < kMortalExtent.pages; ++page) {
        for (const std::uint32_t word : {kCounter, kTwin, kWideCounter})
            if (std::string wrong = check_counter(page * kMortalExtent.page_words + word); !wrong.empty())
                return wrong;
    }
    for (shmem::Address page = 0; page + 1 < kMortalExtent.pages; page += 2) {
        const shmem::Address one = page * kMortalExtent.page_words + kTwin;
        const shmem::Address other = one + kMortalExtent.page_words;
        const shmem::Store* first = survivor_with(one);
        const shmem::Store* second = survivor_with(other);
        if (first != nullptr && second != nullptr && first->word(one) != second->word(other))
            return named(one) + " and " + named(other) + " were only changed together, and are not the same";
    }
    return {};
}

/// Whatever anybody has found, the dead too, is of the history that is left: nobody has found the same as
/// another who added to it, and each host has seen it grow.
std::string MortalShmemNetwork::check_counter(shmem::Address at) const {
    const shmem::Store* store = survivor_with(at);
    if (store == nullptr) return {};
    const std::uint64_t value = value_of(*store, at);
    std::uint64_t by_survivors = 0;
    std::uint64_t by_all = 0;
    std::set<std::uint64_t> found;
    for (const ShmemLife& life : lives_) {
        const bool lives = present_[life.host] == &life && hosts_[life.host]->takes_part();
        std::uint64_t least = 0;
        for (const Look& look : life.looks) {
            if (look.at != at) continue;
            by_all += look.adds ? 1 : 0;
            by_survivors += look.adds && lives ? 1 : 0;
            if (!look.seen) continue;
            if (*look.seen < least) return named(at) + " goes back for " + topology_.name(life.host);
            if (look.adds && !found.insert(*look.seen).second)
                return named(at) + " was added to twice at " + std::to_string(*look.seen);
            least = *look.seen + (look.adds ? 1 : 0);
        }
        if (least > value)
            return topology_.name(life.host) + " has seen more in " + named(at) + " than is there";
    }
    if (value < by_survivors || value > by_all)
        return named(at) + " is " + std::to_string(value) + ": survivors have added " +
               std::to_string(by_survivors) + ", all together " + std::to_string(by_all);
    return {};
}

/// Nobody comes between the two, unless one page has been lost with all its copies.
std::string MortalShmemNetwork::check_twins(const ShmemLife& life) const {
    for (std::size_t i = 0; i + 1 < life.looks.size(); ++i) {
        const Look& one = life.looks[i];
        if (one.at % kMortalExtent.page_words != kTwin) continue;
        const Look& other = life.looks[++i];
        if (survivor_with(one.at) == nullptr || survivor_with(other.at) == nullptr) continue;
        if (one.seen && other.seen && one.seen != other.seen)
            return topology_.name(life.host) + " has found " + named(one.at) + " and " + named(other.at) +
                   " changed apart";
    }
    return {};
}

}  // namespace isoplane::test
