// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/topology/fmconfig.hh>

#include "text.hh"

namespace isoplane::topology {

namespace {

constexpr std::string_view kManagerMark = ":t";

std::uint32_t parse_switch_number(const Lines& lines, std::string_view word) {
    if (const auto number = parse_number<std::uint32_t>(word, kMaxSwitchNumber)) return *number;
    lines.refuse(lines.at(word), quote(word) + " stands for the number of a switch; a number from 0 to " +
                                     std::to_string(kMaxSwitchNumber) + " was expected: write one");
}

PortSpec parse_port(const Lines& lines, std::string_view word) {
    PortSpec port{.at = lines.at(word)};
    if (word == "-") return port;
    if (all_digits(word)) {
        port.kind = PortKind::kLink;
        port.number = parse_switch_number(lines, word);
        return port;
    }
    port.kind = PortKind::kHost;
    if (const std::size_t colon = word.find(':'); colon != std::string_view::npos) {
        if (word.substr(colon) != kManagerMark)
            lines.refuse(
                lines.at(word.substr(colon)),
                quote(word.substr(colon)) + " follows the name " + quote(word.substr(0, colon)) +
                    "; only \":t\", for the token manager of the switch, may: write that or nothing");
        word.remove_suffix(kManagerMark.size());
        port.kind = PortKind::kTokenManager;
    }
    if (const std::string fault = name_fault(word); !fault.empty()) lines.refuse(port.at, fault);
    port.name = word;
    return port;
}

std::string word_of(const Topology& topology, const Port& port) {
    switch (port.kind) {
        case PortKind::kDangling:
            return "-";
        case PortKind::kLink:
            return std::to_string(topology.switches()[port.peer].number);
        case PortKind::kHost:
            return topology.name(port.node);
        case PortKind::kTokenManager:
            return topology.name(port.node) + std::string(kManagerMark);
    }
    return {};
}

}  // namespace

Topology parse_fmconfig(std::string_view text, std::string_view file) {
    std::vector<SwitchSpec> specs;
    Lines lines(text, file);
    while (lines.next()) {
        Cursor cursor(lines.text());
        SwitchSpec spec{.at = lines.at()};
        spec.number = parse_switch_number(lines, cursor.word());
        while (!cursor.rest().empty()) {
            const std::string_view word = cursor.word();
            // One beyond the limit is kept for the topology to refuse; a line of a million is not worth
            // keeping.
            if (spec.ports.size() <= kMaxPorts) spec.ports.push_back(parse_port(lines, word));
        }
        specs.push_back(std::move(spec));
    }
    return Topology(specs, file);
}

Topology load_fmconfig(const std::string& path) {
    return parse_fmconfig(read_file(path), path);
}

std::string write_fmconfig(const Topology& topology) {
    std::string text = "# switch, then what is on each of its ports\n";
    std::size_t hosts = 0;
    for (const Switch& s : topology.switches()) {
        text += std::to_string(s.number);
        for (const Port& port : s.ports) {
            text += " " + word_of(topology, port);
            if (port.kind == PortKind::kHost && port.node != hosts++)
                throw Error("fmconfig", {},
                            "host " + quote(topology.name(port.node)) + " is node " +
                                std::to_string(port.node) + ", but its turn among the ports is " +
                                std::to_string(hosts - 1) +
                                ": fmconfig cannot number hosts otherwise, so write a network.cfg");
        }
        text += "\n";
    }
    return text;
}

}  // namespace isoplane::topology
