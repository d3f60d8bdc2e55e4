// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// What of a page has no value, from one copy to another. In numbers: how many versions; each with its
/// address, its two halves, and whether the word has that now. Then the accesses that wait: each with its
/// code, words, address, what it makes, its operands, what it knows, and for each word the version that it
/// waits for, or 0.

#include <isoplane/shmem/store.hh>

#include <algorithm>
#include <unordered_map>

namespace isoplane::shmem {

namespace {

using Numbers = std::vector<std::uint32_t>;
constexpr std::size_t kVersionNumbers = 4;
constexpr std::size_t kAccessNumbers = 6 + 4 + 2 + 4;
constexpr unsigned kMostChanged = 2;  ///< words

void put(Numbers& out, std::uint64_t value) {
    out.push_back(static_cast<std::uint32_t>(value >> 32));
    out.push_back(static_cast<std::uint32_t>(value));
}

std::uint64_t wide(std::span<const std::uint32_t> in, std::size_t at) {
    return std::uint64_t{in[at]} << 32 | in[at + 1];
}

}  // namespace

void Store::add_open(std::uint32_t page, Numbers& numbers) const {
    const std::size_t count_at = numbers.size();
    numbers.push_back(0);
    std::unordered_map<std::uint32_t, std::array<Version, kMostChanged>> waiting;
    open_.for_each([&](const Key& key, std::uint32_t next) {
        if (pages_.page_of(key.at) != page) return;
        const Version* current = current_.find(key.at);
        numbers.push_back(key.at);
        put(numbers, key.version);
        numbers.push_back(current != nullptr && *current == key.version ? 1 : 0);
        ++numbers[count_at];
        for (; next != 0; next = waiters_[next - 1].next) {
            const Waiter& waiter = waiters_[next - 1];
            if (table_[waiter.blocked].code != wire::AccessCode::kRead)
                waiting[waiter.blocked][waiter.word] = key.version;
        }
    });
    for (const auto& [number, versions] : waiting) {
        const Blocked& blocked = table_[number];
        numbers.push_back(static_cast<std::uint32_t>(blocked.code));
        numbers.push_back(blocked.words);
        numbers.push_back(blocked.at);
        numbers.push_back(blocked.lost ? 1 : 0);
        put(numbers, blocked.makes);
        numbers.insert(numbers.end(), blocked.operands.begin(), blocked.operands.end());
        numbers.insert(numbers.end(), blocked.old.begin(), blocked.old.begin() + kMostChanged);
        for (const Version version : versions)
            put(numbers, version);
    }
}

bool Store::is_in(std::uint32_t page, Address at, std::uint32_t words) const {
    return pages_.exists(at) && pages_.page_of(at) == page && words <= pages_.left_in_page(at);
}

/// What is told of a page, apart until all of it makes sense.
struct Store::Told {
    std::uint32_t page;
    Currents current{};
    Opens open{};
    std::vector<std::pair<Key, Waiter>> waiters{};
    std::vector<Blocked> accesses{};
    Version next_computed = kComputed;
};

bool Store::take_version(Told& told, std::span<const std::uint32_t> in) const {
    const Key key{in[0], wide(in, 1)};
    if (!is_in(told.page, key.at, 1)) return false;
    told.open[key];
    if (in[3] != 0) told.current[key.at] = key.version;
    if ((key.version & kComputed) != 0) told.next_computed = std::max(told.next_computed, key.version + 1);
    return true;
}

/// Each of its words waits for a version that was told, or has a value, and not all have.
bool Store::take_access(Told& told, std::span<const std::uint32_t> in) const {
    const bool changes = in[0] >= static_cast<std::uint32_t>(wire::AccessCode::kAdd) &&
                         in[0] <= static_cast<std::uint32_t>(wire::AccessCode::kCompareSwap);
    if (!changes || in[1] == 0 || in[1] > kMostChanged || !is_in(told.page, in[2], in[1])) return false;
    Blocked blocked{.code = static_cast<wire::AccessCode>(in[0]),
                    .to = pages_.here(),
                    .words = static_cast<std::uint16_t>(in[1]),
                    .lost = in[3] != 0,
                    .at = in[2],
                    .makes = wide(in, 4)};
    std::copy_n(in.begin() + 6, blocked.operands.size(), blocked.operands.begin());
    std::copy_n(in.begin() + 10, kMostChanged, blocked.old.begin());
    const auto number = static_cast<std::uint32_t>(table_.size() + told.accesses.size());
    for (std::uint16_t i = 0; i < blocked.words; ++i) {
        const Version version = wide(in, 12 + 2 * std::size_t{i});
        if (version == 0) continue;
        const Key key{blocked.at + i, version};
        if (!told.open.contains(key)) return false;
        told.waiters.push_back({key, {number, i}});
        ++blocked.lacking;
    }
    told.accesses.push_back(blocked);
    return blocked.lacking != 0;
}

bool Store::take_open(std::uint32_t page, std::span<const std::uint32_t> numbers) {
    if (numbers.empty() || numbers[0] > (numbers.size() - 1) / kVersionNumbers) return false;
    const std::size_t accesses_at = 1 + numbers[0] * kVersionNumbers;
    if ((numbers.size() - accesses_at) % kAccessNumbers != 0) return false;
    Told told{.page = page};
    for (std::size_t at = 1; at < accesses_at; at += kVersionNumbers)
        if (!take_version(told, numbers.subspan(at, kVersionNumbers))) return false;
    for (std::size_t at = accesses_at; at < numbers.size(); at += kAccessNumbers)
        if (!take_access(told, numbers.subspan(at, kAccessNumbers))) return false;
    told.current.for_each([this](Address at, Version version) { current_[at] = version; });
    told.open.for_each([this](const Key& key, std::uint32_t) { open_[key]; });
    for (const auto& [key, waiter] : told.waiters)
        wait_for(key, waiter.blocked, waiter.word);
    table_.insert(table_.end(), told.accesses.begin(), told.accesses.end());
    blocked_ += told.accesses.size();
    next_computed_ = std::max(next_computed_, told.next_computed);
    return true;
}

}  // namespace isoplane::shmem
