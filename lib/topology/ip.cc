// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/topology/ip.hh>

#include <arpa/inet.h>

#include <array>

#include "text.hh"

namespace isoplane::topology {

Ip default_ip(NodeId node) {
    constexpr Ip kFirst = 0xC6120001;
    static_assert(kMaxNodes - 1 <= 0xfffd, "the last of them is 198.18.255.254");
    return kFirst + node;
}

std::optional<Ip> parse_ip(std::string_view text) {
    in_addr address{};
    if (inet_pton(AF_INET, std::string(text).c_str(), &address) != 1) return std::nullopt;
    return ntohl(address.s_addr);
}

std::optional<IpInSubnet> parse_ip_in_subnet(std::string_view text) {
    const std::size_t slash = text.find('/');
    const auto address = parse_ip(text.substr(0, slash));
    if (!address) return std::nullopt;
    if (slash == std::string_view::npos) return IpInSubnet{*address, {}};
    const auto bits = parse_number<unsigned>(text.substr(slash + 1), 31);
    if (!bits || *bits == 0) return std::nullopt;
    return IpInSubnet{*address, bits};
}

std::string ip_text(Ip ip) {
    const in_addr address{.s_addr = htonl(ip)};
    std::array<char, INET_ADDRSTRLEN> text{};
    return inet_ntop(AF_INET, &address, text.data(), text.size());
}

std::string ip_text(const IpInSubnet& ip) {
    return ip_text(ip.address) + (ip.bits ? "/" + std::to_string(*ip.bits) : "");
}

bool is_unicast(Ip ip) {
    const Ip first_byte = ip >> 24;
    return first_byte != 0 && first_byte != 127 && first_byte < 224;
}

}  // namespace isoplane::topology
