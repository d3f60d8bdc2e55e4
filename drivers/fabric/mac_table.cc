// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <bit>
#include <cstring>
#include <isoplane/fabric/mac_table.hh>
#include <utility>

namespace isoplane::fabric {

namespace {

constexpr unsigned kPortBits = 16;

bool same_address(std::uint64_t a, std::uint64_t b) {
    return ((a ^ b) >> kPortBits) == 0;
}

}  // namespace

// At least two lines, so that the shift stays below the width of the hash.
MacTable::MacTable(unsigned addresses, runtime::Duration age)
    : lines_(std::bit_ceil(std::max(addresses / kWays, 2U))),
      shift_(64 - static_cast<unsigned>(std::countr_zero(lines_.size()))),
      age_(age) {}

/// The address in the upper 48 bits: its six bytes, in the order in which they lie.
std::uint64_t MacTable::key_of(const rte_ether_addr& address) noexcept {
    std::uint32_t low = 0;
    std::uint16_t high = 0;
    std::memcpy(&low, address.addr_bytes, sizeof low);
    std::memcpy(&high, address.addr_bytes + sizeof low, sizeof high);
    return std::uint64_t{low} << kPortBits | std::uint64_t{high} << (kPortBits + 32);
}

const MacTable::Line& MacTable::line_of(std::uint64_t key) const noexcept {
    // Fibonacci hashing: the product's top bits depend on all of the address.
    return lines_[(key >> kPortBits) * 0x9e3779b97f4a7c15 >> shift_];
}

MacTable::Line& MacTable::line_of(std::uint64_t key) noexcept {
    return const_cast<Line&>(std::as_const(*this).line_of(key));
}

void MacTable::learn(const rte_ether_addr& address, std::uint16_t port, Time now) noexcept {
    const std::uint64_t key = key_of(address);
    if (rte_is_multicast_ether_addr(&address) || key == 0) [[unlikely]]
        return;
    auto& entries = line_of(key).entries;
    auto entry = std::find_if(entries.begin(), entries.end(),
                              [key](const Entry& e) { return same_address(e.key, key); });
    if (entry == entries.end()) [[unlikely]] {
        // A free entry was seen before all time.
        entry = std::min_element(entries.begin(), entries.end(),
                                 [](const Entry& a, const Entry& b) { return a.seen < b.seen; });
    }
    *entry = {key | port, now};
}

std::uint16_t MacTable::find(const rte_ether_addr& address, Time now) const noexcept {
    const std::uint64_t key = key_of(address);
    for (const Entry& entry : line_of(key).entries) {
        if (same_address(entry.key, key) && alive(entry, now)) return static_cast<std::uint16_t>(entry.key);
    }
    return kNoPort;
}

std::size_t MacTable::size(Time now) const noexcept {
    std::size_t n = 0;
    for (const Line& line : lines_)
        n += static_cast<std::size_t>(std::count_if(line.entries.begin(), line.entries.end(),
                                                    [&](const Entry& e) { return alive(e, now); }));
    return n;
}

}  // namespace isoplane::fabric
