// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// How the ports of a file become a network: number the switches, place hosts and token managers, join the two
// ends of every link, and see that nothing is cut off. Each step refuses what is not whole, with its place.

#include <algorithm>
#include <unordered_map>
#include <utility>

#include <isoplane/topology/topology.hh>

#include "text.hh"

namespace isoplane::topology {

class Topology::Assembly {
  public:
    Assembly(Topology& out, std::span<const SwitchSpec> specs, std::string_view source)
        : out_(out), specs_(specs), source_(source) {}

    void number_switches();
    void place_nodes(std::span<const std::string> numbering);
    void join_links();
    void check_connected() const;

  private:
    /// One end of a link: `from` names `to` on `port`.
    struct End {
        SwitchId from;
        SwitchId to;
        PortId port;
        auto key() const { return std::pair(from, to); }
        // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the 0 it is compared with for a pointer
        auto operator<=>(const End&) const = default;
    };

    [[noreturn]] void refuse(Position at, std::string sentence) const {
        throw Error(std::string(source_), at, std::move(sentence));
    }
    void place(const PortSpec& spec, Port& port, SwitchId s, PortId p, std::optional<Node>& manager);
    void add_name(const std::string& name, NodeId node, Position at);
    void renumber(std::span<const std::string> numbering);
    std::vector<End> link_ends() const;
    static std::span<const End> mentions(const std::vector<End>& ends, SwitchId from, SwitchId to);
    void check_mentions(std::span<const End> here, std::span<const End> there) const;

    Topology& out_;
    std::span<const SwitchSpec> specs_;
    std::string_view source_;
    std::unordered_map<std::uint32_t, SwitchId> by_number_;
};

void Topology::Assembly::number_switches() {
    if (specs_.empty())
        refuse({}, "no switch is described: write one line for each switch, with its number and its ports");
    if (specs_.size() > kMaxSwitches)
        refuse(specs_[kMaxSwitches].at, count(specs_.size(), "switch") + " are described; at most " +
                                            std::to_string(kMaxSwitches) + " are possible: use fewer");
    out_.switches_.reserve(specs_.size());
    for (const SwitchSpec& spec : specs_) {
        const std::string self = "switch " + std::to_string(spec.number);
        if (spec.number > kMaxSwitchNumber)
            refuse(spec.at, self + " has too large a number; at most " + std::to_string(kMaxSwitchNumber) +
                                " is possible: give it a smaller one");
        const auto [known, is_new] =
            by_number_.try_emplace(spec.number, static_cast<SwitchId>(out_.switches_.size()));
        if (!is_new) {
            const Position first = specs_[known->second].at;
            refuse(spec.at, self + " is described twice" +
                                (first.line ? ", first on line " + std::to_string(first.line) : "") +
                                ": give every switch its own number");
        }
        if (spec.ports.empty())
            refuse(spec.at, self + " has no port: write what is on each port, '-' for nothing");
        if (spec.ports.size() > kMaxPorts)
            refuse(spec.at, self + " has " + count(spec.ports.size(), "port") + "; at most " +
                                std::to_string(kMaxPorts) + " are possible: use more switches");
        out_.switches_.push_back({spec.number, std::vector<Port>(spec.ports.size())});
    }
}

void Topology::Assembly::add_name(const std::string& name, NodeId node, Position at) {
    if (!out_.by_name_.try_emplace(name, node).second)
        refuse(at, quote(name) +
                       " is on two ports: a host or token manager has one, so remove it from the other "
                       "or give it a second name");
}

void Topology::Assembly::place(const PortSpec& spec, Port& port, SwitchId s, PortId p,
                               std::optional<Node>& manager) {
    port.kind = spec.kind;
    if (spec.kind != PortKind::kHost && spec.kind != PortKind::kTokenManager) return;
    if (const std::string fault = name_fault(spec.name); !fault.empty()) refuse(spec.at, fault);
    if (spec.kind == PortKind::kHost) {
        port.node = static_cast<NodeId>(out_.nodes_.size());
        add_name(spec.name, port.node, spec.at);
        out_.nodes_.push_back({spec.name, s, p});
        if (out_.nodes_.size() + specs_.size() > kMaxNodes)
            refuse(spec.at, quote(spec.name) +
                                " is one node too many: hosts and token managers, one of these for "
                                "each switch, are at most " +
                                std::to_string(kMaxNodes) + " together");
        return;
    }
    if (manager)
        refuse(spec.at, quote(spec.name) + " is a second token manager of switch " +
                            std::to_string(specs_[s].number) + ", which has " + quote(manager->name) +
                            " already: leave ':t' on one of them");
    manager = Node{spec.name, s, p};
}

void Topology::Assembly::place_nodes(std::span<const std::string> numbering) {
    std::vector<std::optional<Node>> managers(specs_.size());
    for (std::size_t s = 0; s < specs_.size(); ++s)
        for (std::size_t p = 0; p < specs_[s].ports.size(); ++p)
            place(specs_[s].ports[p], out_.switches_[s].ports[p], static_cast<SwitchId>(s),
                  static_cast<PortId>(p), managers[s]);
    if (out_.nodes_.empty())
        refuse({},
               "no port of any switch has a host on it: put the name of at least one host in place of a '-'");
    if (!numbering.empty()) renumber(numbering);
    for (std::size_t s = 0; s < specs_.size(); ++s) {
        const auto node = static_cast<NodeId>(out_.nodes_.size());
        Node manager = managers[s].value_or(
            Node{"tm@" + std::to_string(specs_[s].number), static_cast<SwitchId>(s), std::nullopt});
        if (manager.port) out_.switches_[s].ports[*manager.port].node = node;
        add_name(manager.name, node, manager.port ? specs_[s].ports[*manager.port].at : specs_[s].at);
        out_.nodes_.push_back(std::move(manager));
    }
}

void Topology::Assembly::renumber(std::span<const std::string> numbering) {
    std::vector<Node> hosts;
    hosts.reserve(numbering.size());
    std::unordered_map<std::string, NodeId> by_name;
    for (const std::string& name : numbering) {
        const auto found = out_.by_name_.find(name);
        if (found == out_.by_name_.end() ||
            !by_name.try_emplace(name, static_cast<NodeId>(hosts.size())).second)
            refuse({}, "the host numbering names " + quote(name) +
                           ", which is on no port or was named before: "
                           "name every host of the network once");
        hosts.push_back(out_.nodes_[found->second]);
    }
    if (hosts.size() != out_.nodes_.size())
        refuse({}, "the host numbering names " + count(hosts.size(), "host") + " but the ports name " +
                       std::to_string(out_.nodes_.size()) + ": name every host of the network once");
    for (std::size_t node = 0; node < hosts.size(); ++node)
        out_.switches_[hosts[node].on].ports[*hosts[node].port].node = static_cast<NodeId>(node);
    out_.nodes_ = std::move(hosts);
    out_.by_name_ = std::move(by_name);
}

std::vector<Topology::Assembly::End> Topology::Assembly::link_ends() const {
    std::vector<End> ends;
    for (std::size_t s = 0; s < specs_.size(); ++s) {
        for (std::size_t p = 0; p < specs_[s].ports.size(); ++p) {
            const PortSpec& port = specs_[s].ports[p];
            if (port.kind != PortKind::kLink) continue;
            const auto other = by_number_.find(port.number);
            if (other == by_number_.end())
                refuse(port.at, "switch " + std::to_string(specs_[s].number) + " names switch " +
                                    std::to_string(port.number) +
                                    ", which is not described: add a line for it, or "
                                    "write '-' here");
            if (other->second == s)
                refuse(port.at, "switch " + std::to_string(port.number) +
                                    " names itself: a link joins two "
                                    "different switches, so write the other's number or '-'");
            ends.push_back({static_cast<SwitchId>(s), other->second, static_cast<PortId>(p)});
        }
    }
    std::sort(ends.begin(), ends.end());
    return ends;
}

/// The ends by which one switch names another, in the order of its ports.
std::span<const Topology::Assembly::End> Topology::Assembly::mentions(const std::vector<End>& ends,
                                                                      SwitchId from, SwitchId to) {
    const auto [first, last] = std::equal_range(ends.begin(), ends.end(), End{from, to, 0},
                                                [](const End& a, const End& b) { return a.key() < b.key(); });
    return {first, last};
}

void Topology::Assembly::check_mentions(std::span<const End> here, std::span<const End> there) const {
    if (there.size() >= here.size()) return;  // when it is more, the other side's turn tells
    const End& extra = here[there.size()];
    const std::string self = std::to_string(specs_[extra.from].number);
    const std::string other = std::to_string(specs_[extra.to].number);
    refuse(specs_[extra.from].ports[extra.port].at,
           "switch " + self + " names switch " + other + " on " + count(here.size(), "port") +
               ", but switch " + other + " names switch " + self + " on " + std::to_string(there.size()) +
               ": every link stands on the lines of both its switches, so write " + self +
               " on a port of switch " + other + ", or '-' here");
}

void Topology::Assembly::join_links() {
    const std::vector<End> ends = link_ends();
    out_.adjacent_.resize(specs_.size());
    for (std::size_t i = 0; i < ends.size();) {
        const std::span<const End> here = mentions(ends, ends[i].from, ends[i].to);
        const std::span<const End> there = mentions(ends, ends[i].to, ends[i].from);
        check_mentions(here, there);
        out_.adjacent_[ends[i].from].push_back(ends[i].to);
        // Several links between the same two switches pair off in the order of their ports.
        for (std::size_t pair = 0; pair < here.size(); ++pair) {
            Port& port = out_.switches_[here[pair].from].ports[here[pair].port];
            port.peer = here[pair].to;
            port.peer_port = there[pair].port;
        }
        i += here.size();
    }
    out_.link_count_ = ends.size() / 2;
}

void Topology::Assembly::check_connected() const {
    std::vector<bool> reached(specs_.size());
    std::vector<SwitchId> queue{0};
    reached[0] = true;
    for (std::size_t i = 0; i < queue.size(); ++i) {
        for (const SwitchId next : out_.adjacent_[queue[i]]) {
            if (!reached[next]) queue.push_back(next);
            reached[next] = true;
        }
    }
    if (queue.size() == specs_.size()) return;
    const auto cut =
        static_cast<std::size_t>(std::find(reached.begin(), reached.end(), false) - reached.begin());
    refuse(specs_[cut].at, "switch " + std::to_string(specs_[cut].number) +
                               " cannot be reached from switch " + std::to_string(specs_[0].number) +
                               ": join the two parts with a link, or describe "
                               "them as two networks");
}

Topology::Topology(std::span<const SwitchSpec> switches, std::string_view source,
                   std::span<const std::string> numbering) {
    Assembly assembly(*this, switches, source);
    assembly.number_switches();
    assembly.place_nodes(numbering);
    assembly.join_links();
    assembly.check_connected();
}

}  // namespace isoplane::topology
