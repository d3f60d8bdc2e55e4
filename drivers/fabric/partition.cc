// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <charconv>
#include <isoplane/fabric/partition.hh>
#include <stdexcept>
#include <string>

namespace isoplane::fabric {

namespace {

/// Cuts `text` at the first `separator`. Returns what is before it and leaves what is behind.
std::string_view take(std::string_view& text, char separator) {
    const std::string_view head = text.substr(0, text.find(separator));
    text.remove_prefix(head.size() < text.size() ? head.size() + 1 : head.size());
    return head;
}

unsigned parse_port(std::string_view word, unsigned ports) {
    unsigned port = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), port);
    if (error == std::errc{} && end == word.data() + word.size() && port < ports) return port;
    throw std::invalid_argument("the partition names '" + std::string(word) +
                                "', which is no port: write the groups as 0,1|2,3 with ports from 0 to " +
                                std::to_string(ports - 1));
}

}  // namespace

Partition parse_partition(std::string_view text, unsigned ports) {
    Partition groups(ports, 0);
    for (std::uint16_t group = 1; !text.empty(); ++group) {
        std::string_view members = take(text, '|');
        while (!members.empty()) {
            const unsigned port = parse_port(take(members, ','), ports);
            if (groups[port] != 0) {
                throw std::invalid_argument("the partition names port " + std::to_string(port) +
                                            " twice; a port is in one group");
            }
            groups[port] = group;
        }
    }
    return groups;
}

}  // namespace isoplane::fabric
