// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/topology/network_cfg.hh>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "text.hh"

namespace isoplane::topology {

namespace {

constexpr std::string_view kLoopback = "loopback";

class CfgReader {
  public:
    CfgReader(std::string_view text, std::string_view file) : lines_(text, file) {}
    NetworkCfg read();

  private:
    /// "A B" or "A,B".
    struct Pair {
        std::string_view first;
        std::string_view second;
    };

    std::size_t read_host_count() const;
    bool begins_block() const;
    Pair read_pair(std::string_view what) const;
    NodeId read_node(std::string_view word) const;
    RouteBytes read_route(std::string_view word) const;
    void read_host();
    void begin_block();
    void read_hop();
    void end_block() const;
    std::size_t host_count() const { return cfg_.hosts.size(); }

    Lines lines_;
    NetworkCfg cfg_;
    std::unordered_map<std::string, NodeId> numbers_;
    std::optional<NodeId> from_;  ///< whose block is being read
    Position block_at_;
    std::vector<bool> filled_;  ///< by node: whether the block has its route
    std::size_t blocks_ = 0;
};

std::size_t CfgReader::read_host_count() const {
    Cursor cursor(lines_.text());
    const std::string_view key = cursor.word("=");
    const bool has_value = cursor.take('=');
    const std::string_view value = cursor.rest();
    const auto hosts = parse_number<std::size_t>(value, kMaxPorts);
    if (key != "hosts" || !has_value || !hosts || *hosts == 0)
        lines_.refuse(lines_.at(), quote(lines_.text()) +
                                       " is the first line; \"hosts=N\" was expected, N from 1 to " +
                                       std::to_string(kMaxPorts) + ": begin with the number of hosts");
    return *hosts;
}

bool CfgReader::begins_block() const {
    Cursor cursor(lines_.text());
    return cursor.word() == "node" && lines_.text().ends_with(':');
}

CfgReader::Pair CfgReader::read_pair(std::string_view what) const {
    Cursor cursor(lines_.text());
    Pair pair{cursor.word(","), {}};
    cursor.take(',');
    pair.second = cursor.word(",");
    if (pair.first.empty() || pair.second.empty() || !cursor.rest().empty())
        lines_.refuse(lines_.at(),
                      quote(lines_.text()) + " stands where " + std::string(what) + " was expected");
    return pair;
}

NodeId CfgReader::read_node(std::string_view word) const {
    if (const auto node = parse_number<NodeId>(word); node && *node < host_count()) return *node;
    lines_.refuse(lines_.at(word), quote(word) + " stands for a node; a number from 0 to " +
                                       std::to_string(host_count() - 1) +
                                       " was expected: write one, or correct "
                                       "\"hosts=\"");
}

void CfgReader::read_host() {
    const Pair pair = read_pair("\"NAME NUMBER\" or \"NAME,NUMBER\", or \"node 0:\" after the last host");
    if (const std::string fault = name_fault(pair.first); !fault.empty())
        lines_.refuse(lines_.at(pair.first), fault);
    const NodeId node = read_node(pair.second);
    if (!cfg_.hosts[node].empty())
        lines_.refuse(lines_.at(pair.second), "node " + std::to_string(node) + " has the name " +
                                                  quote(cfg_.hosts[node]) +
                                                  " already: give every host its own number");
    if (!numbers_.try_emplace(std::string(pair.first), node).second)
        lines_.refuse(lines_.at(pair.first), "the name " + quote(pair.first) + " is node " +
                                                 std::to_string(numbers_[std::string(pair.first)]) +
                                                 " already: give every host its own name");
    cfg_.hosts[node] = pair.first;
}

void CfgReader::begin_block() {
    end_block();
    if (numbers_.size() < host_count()) {
        const auto missing = std::find(cfg_.hosts.begin(), cfg_.hosts.end(), "") - cfg_.hosts.begin();
        lines_.refuse(lines_.at(), "the routes begin here, but node " + std::to_string(missing) +
                                       " has no name yet: name all " + count(host_count(), "host") +
                                       " before, or correct \"hosts=\"");
    }
    Cursor cursor(lines_.text());
    cursor.word();
    const std::string_view number = cursor.word(":");
    const NodeId node = read_node(number);
    cursor.take(':');
    if (!cursor.rest().empty())
        lines_.refuse(lines_.at(cursor.rest()), quote(cursor.rest()) +
                                                    " stands behind the node number; \"node " +
                                                    std::to_string(node) + ":\" was expected: write that");
    if (!cfg_.routes[node].empty())
        lines_.refuse(lines_.at(), "the routes of node " + std::to_string(node) +
                                       " are there already: write one block for each node");
    from_ = node;
    block_at_ = lines_.at();
    cfg_.routes[node].resize(host_count());
    filled_.assign(host_count(), false);
    ++blocks_;
}

RouteBytes CfgReader::read_route(std::string_view word) const {
    RouteBytes route;
    for (std::size_t i = 0; i + 1 < word.size() && route.size() <= kMaxRouteBytes; i += 2) {
        std::uint8_t byte = 0;
        const char* first = word.data() + i;
        const auto [end, error] = std::from_chars(first, first + 2, byte, 16);
        if (error != std::errc{} || end != first + 2) break;
        route.push_back(byte);
    }
    if (route.empty() || route.size() * 2 != word.size() || route.size() > kMaxRouteBytes)
        lines_.refuse(lines_.at(word),
                      quote(word) + " stands for a route; 1 to " + std::to_string(kMaxRouteBytes) +
                          " bytes were expected, two hexadecimal digits each, such as 81: write "
                          "them without blanks or prefix");
    return route;
}

void CfgReader::read_hop() {
    const Pair pair = read_pair("\"NODE ROUTE\" or \"NODE,ROUTE\", or the next \"node N:\"");
    const NodeId to = read_node(pair.first);
    if (filled_[to])
        lines_.refuse(lines_.at(pair.first), "the route from node " + std::to_string(*from_) + " to node " +
                                                 std::to_string(to) + " is there twice: remove one");
    filled_[to] = true;
    const bool loopback = pair.second == kLoopback;
    if (loopback && to != *from_)
        lines_.refuse(lines_.at(pair.second), "node " + std::to_string(*from_) + " reaches node " +
                                                  std::to_string(to) +
                                                  " by loopback, but only a node itself is "
                                                  "reached so: write the route in hexadecimal");
    if (loopback) return;
    RouteBytes route = read_route(pair.second);
    if (to == *from_) {
        if (route != RouteBytes{0x80})
            lines_.refuse(lines_.at(pair.second), quote(pair.second) + " stands for the route of node " +
                                                      std::to_string(to) +
                                                      " to itself; \"loopback\" or 80 was "
                                                      "expected: write one of these");
        return;
    }
    cfg_.routes[*from_][to] = std::move(route);
}

void CfgReader::end_block() const {
    if (!from_) return;
    for (std::size_t to = 0; to < host_count(); ++to)
        if (!filled_[to] && to != *from_)
            lines_.refuse(block_at_, "the routes of node " + std::to_string(*from_) +
                                         " lack the one to node " + std::to_string(to) +
                                         ": write a line for every other node");
}

NetworkCfg CfgReader::read() {
    while (lines_.next()) {
        if (host_count() == 0) {
            cfg_.hosts.resize(read_host_count());
            cfg_.routes.resize(host_count());
        } else if (begins_block()) {
            begin_block();
        } else if (from_) {
            read_hop();
        } else {
            read_host();
        }
    }
    if (host_count() == 0)
        lines_.refuse({}, "the file says nothing; \"hosts=N\" was expected: begin with that");
    end_block();
    if (blocks_ != host_count()) {
        const auto missing =
            std::find_if(cfg_.routes.begin(), cfg_.routes.end(), [](const auto& r) { return r.empty(); }) -
            cfg_.routes.begin();
        lines_.refuse({}, "the file ends without the routes of node " + std::to_string(missing) +
                              ": write a \"node " + std::to_string(missing) +
                              ":\" block with a route to every other node");
    }
    return std::move(cfg_);
}

/// The signed way from port to port that a route byte stands for, if it is one.
std::optional<int> port_offset(const RouteBytes& route) {
    if (route.size() != 1 || (route[0] & 0xc0) != 0x80) return std::nullopt;
    const int low = route[0] & 0x3f;
    return low < 0x20 ? low : low - 0x40;
}

/// The port of each host relative to that of host 0, when the routes tell it without a contradiction.
std::optional<std::vector<int>> told_ports(const NetworkCfg& cfg) {
    std::vector<int> ports(cfg.hosts.size(), 0);
    for (std::size_t to = 1; to < ports.size(); ++to) {
        const auto offset = port_offset(cfg.routes[0][to]);
        if (!offset) return std::nullopt;
        ports[to] = *offset;
    }
    for (std::size_t from = 0; from < ports.size(); ++from)
        for (std::size_t to = 0; to < ports.size(); ++to)
            if (from != to && port_offset(cfg.routes[from][to]) != ports[to] - ports[from])
                return std::nullopt;
    std::vector<int> sorted = ports;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return std::nullopt;
    for (int& port : ports)
        port -= sorted.front();
    return ports;
}

}  // namespace

NetworkCfg parse_network_cfg(std::string_view text, std::string_view file) {
    return CfgReader(text, file).read();
}

NetworkCfg load_network_cfg(const std::string& path) {
    return parse_network_cfg(read_file(path), path);
}

std::string write_network_cfg(const NetworkCfg& cfg) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string text = "hosts=" + std::to_string(cfg.hosts.size()) + "\n";
    for (std::size_t node = 0; node < cfg.hosts.size(); ++node)
        text += cfg.hosts[node] + " " + std::to_string(node) + "\n";
    for (std::size_t from = 0; from < cfg.hosts.size(); ++from) {
        text += "node " + std::to_string(from) + ":\n";
        for (std::size_t to = 0; to < cfg.hosts.size(); ++to) {
            text += std::to_string(to) + " ";
            for (const std::uint8_t byte : cfg.routes[from][to]) {
                text += kDigits[byte >> 4];
                text += kDigits[byte & 0xf];
            }
            text += from == to ? std::string(kLoopback) + "\n" : "\n";
        }
    }
    return text;
}

Topology topology_of(const NetworkCfg& cfg, std::string_view file) {
    SwitchSpec only;
    const auto told = told_ports(cfg);
    only.ports.resize(cfg.hosts.size());
    if (told) only.ports.resize(static_cast<std::size_t>(*std::max_element(told->begin(), told->end())) + 1);
    for (std::size_t node = 0; node < cfg.hosts.size(); ++node) {
        PortSpec& port = only.ports[told ? static_cast<std::size_t>((*told)[node]) : node];
        port.kind = PortKind::kHost;
        port.name = cfg.hosts[node];
    }
    return Topology({&only, 1}, file, cfg.hosts);
}

}  // namespace isoplane::topology
