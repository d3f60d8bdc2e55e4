// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/topology/mac.hh>

#include <algorithm>
#include <charconv>

namespace isoplane::topology {

Mac default_mac(NodeId node, std::uint8_t link) {
    return {
        0x02, 0x69, 0x73, link, static_cast<std::uint8_t>(node >> 8), static_cast<std::uint8_t>(node & 0xff)};
}

std::optional<Mac> parse_mac(std::string_view text) {
    if (text.size() != 17) return std::nullopt;
    const char separator = text[2];
    if (separator != ':' && separator != '-') return std::nullopt;
    Mac mac{};
    for (std::size_t i = 0; i < mac.size(); ++i) {
        if (i != 0 && text[3 * i - 1] != separator) return std::nullopt;
        const char* first = text.data() + 3 * i;
        const auto [end, error] = std::from_chars(first, first + 2, mac[i], 16);
        if (error != std::errc{} || end != first + 2) return std::nullopt;
    }
    return mac;
}

std::string to_string(const Mac& mac) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (const std::uint8_t byte : mac) {
        if (!text.empty()) text += ':';
        text += kDigits[byte >> 4];
        text += kDigits[byte & 0xf];
    }
    return text;
}

bool is_unicast(const Mac& mac) {
    return (mac[0] & 1) == 0 && std::any_of(mac.begin(), mac.end(), [](std::uint8_t b) { return b != 0; });
}

}  // namespace isoplane::topology
