// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// What of a page has no value, from one copy to another. In numbers: how many versions; each with its
/// address, its two halves, and whether the word has that now. Then the accesses that wait: each with its
/// code, words, address, what it makes, its operands, what it knows, and for each word the version that it
/// waits for, or 0.

#include <isoplane/shmem/store.hh>

#include <algorithm>

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
    for (const auto& [key, waiters] : open_) {
        if (pages_.page_of(key.at) != page) continue;
        const auto current = current_.find(key.at);
        numbers.push_back(key.at);
        put(numbers, key.version);
        numbers.push_back(current != current_.end() && current->second == key.version ? 1 : 0);
        ++numbers[count_at];
        for (const Waiter& waiter : waiters)
            if (table_[waiter.blocked].code != wire::AccessCode::kRead)
                waiting[waiter.blocked][waiter.word] = key.version;
    }
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

bool Store::take_open(std::uint32_t page, std::span<const std::uint32_t> numbers) {
    const auto is_here = [&](Address at, std::size_t words) {
        return pages_.exists(at) && pages_.page_of(at) == page && words <= pages_.left_in_page(at);
    };
    if (numbers.empty() || numbers[0] > (numbers.size() - 1) / kVersionNumbers) return false;
    const std::size_t versions = numbers[0];
    std::span<const std::uint32_t> rest = numbers.subspan(1);
    for (std::size_t i = 0; i < versions; ++i, rest = rest.subspan(kVersionNumbers)) {
        const Key key{rest[0], wide(rest, 1)};
        if (!is_here(key.at, 1)) return false;
        open_[key];
        if (rest[3] != 0) current_[key.at] = key.version;
        if ((key.version & kComputed) != 0) next_computed_ = std::max(next_computed_, key.version + 1);
    }
    for (; rest.size() >= kAccessNumbers; rest = rest.subspan(kAccessNumbers)) {
        Blocked blocked{.code = static_cast<wire::AccessCode>(rest[0]),
                        .to = pages_.here(),
                        .words = static_cast<std::uint16_t>(rest[1]),
                        .lost = rest[3] != 0,
                        .at = rest[2],
                        .makes = wide(rest, 4)};
        const bool changes =
            blocked.code >= wire::AccessCode::kAdd && blocked.code <= wire::AccessCode::kCompareSwap;
        if (!changes || blocked.words == 0 || blocked.words > kMostChanged ||
            !is_here(blocked.at, blocked.words))
            return false;
        std::copy_n(rest.begin() + 6, blocked.operands.size(), blocked.operands.begin());
        std::copy_n(rest.begin() + 10, kMostChanged, blocked.old.begin());
        const auto number = static_cast<std::uint32_t>(table_.size());
        for (std::uint16_t i = 0; i < blocked.words; ++i) {
            const Version version = wide(rest, 12 + 2 * std::size_t{i});
            if (version == 0) continue;
            open_[{blocked.at + i, version}].push_back({number, i});
            ++blocked.lacking;
        }
        table_.push_back(blocked);
        ++blocked_;
    }
    return rest.empty();
}

}  // namespace isoplane::shmem
