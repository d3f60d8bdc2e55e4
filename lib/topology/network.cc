// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/topology/network.hh>

#include <map>

#include <isoplane/topology/fmconfig.hh>

#include "text.hh"

namespace isoplane::topology {

namespace {

void load_topology(Network& network) {
    const NodeConf& conf = network.conf;
    if (!conf.fmconfig.empty() && !conf.network_cfg.empty())
        throw conf.error("network-cfg",
                         "\"fmconfig\" is given too, but a node is in one network: remove one");
    if (!conf.fmconfig.empty()) network.topology = load_fmconfig(conf.resolve(conf.fmconfig));
    if (conf.network_cfg.empty()) return;
    const std::string path = conf.resolve(conf.network_cfg);
    network.routes = load_network_cfg(path);
    network.topology = topology_of(*network.routes, path);
}

std::string not_in_network(const Topology& topology, const std::string& name) {
    std::vector<std::string> known;
    for (std::size_t node = 0; node < topology.node_count(); ++node)
        known.push_back(topology.name(static_cast<NodeId>(node)));
    const std::string meant = nearest(name, known);
    return "the network has no node called " + quote(name) + ": " +
           (meant.empty() ? "write a name that the topology has" : "did you mean " + quote(meant) + "?");
}

/// The id and the name are two ways to say the same; each follows from the other.
void identify(NodeConf& conf, const Topology& topology) {
    if (conf.id && *conf.id >= topology.node_count())
        throw conf.error("id", "the network has no node " + std::to_string(*conf.id) +
                                   "; its nodes are 0 to " + std::to_string(topology.node_count() - 1) +
                                   ": use one of these");
    if (!conf.name.empty()) {
        const auto node = topology.find(conf.name);
        if (!node) throw conf.error("name", not_in_network(topology, conf.name));
        if (conf.id && *conf.id != *node)
            throw conf.error("id", quote(conf.name) + " is node " + std::to_string(*node) + ", not " +
                                       std::to_string(*conf.id) + ": give the name or the id alone");
        conf.id = node;
    }
    if (conf.id) conf.name = topology.name(*conf.id);
}

/// An option that was given for a host, so that an error has a place.
std::string option_of(const std::string& name, const HostConf& host) {
    const char* const what = host.mac             ? ".mac"
                             : host.ip            ? ".ip"
                             : host.gateway       ? ".gateway"
                             : !host.link.empty() ? ".link"
                                                  : ".ssh";
    return "host." + name + what;
}

void check_hosts(const NodeConf& conf, const Topology* topology) {
    for (const auto& [name, host] : conf.hosts) {
        if (topology == nullptr)
            throw conf.error(option_of(name, host),
                             "no topology is given, so no host is known: give \"fmconfig\" or "
                             "\"network-cfg\" too");
        if (!topology->find(name)) throw conf.error(option_of(name, host), not_in_network(*topology, name));
    }
}

void check_addresses(const Network& network) {
    std::map<Mac, NodeId> owners;
    for (std::size_t i = 0; i < network.topology->node_count(); ++i) {
        const auto node = static_cast<NodeId>(i);
        const auto [owner, is_new] = owners.try_emplace(network.mac(node), node);
        if (is_new) continue;
        const std::string& first = network.topology->name(owner->second);
        const std::string& second = network.topology->name(node);
        const bool second_chose = network.conf.hosts.contains(second) && network.conf.hosts.at(second).mac;
        throw network.conf.error("host." + (second_chose ? second : first) + ".mac",
                                 to_string(owner->first) + " would be the address of both " + quote(first) +
                                     " and " + quote(second) + ": give one of them another");
    }
}

/// The router has to be on the same Ethernet.
void check_gateway(const NodeConf& conf, const std::string& name, const HostConf& host) {
    const std::string option = "host." + name + ".gateway";
    if (!host.ip || !host.ip->bits)
        throw conf.error(option, "it is for those outside of the subnet, which is not given: write host." +
                                     name + ".ip with its bits, as in 10.1.0.7/24");
    if ((host.ip->address ^ *host.gateway) >> (32 - *host.ip->bits) != 0)
        throw conf.error(option, ip_text(*host.gateway) + " is not in the subnet of " + ip_text(*host.ip) +
                                     ": write the router's address there");
}

/// A token manager may have that of a host: it runs beside it.
void check_ips(const Network& network) {
    std::map<Ip, NodeId> owners;
    for (std::size_t i = 0; i < network.topology->host_count(); ++i) {
        const auto node = static_cast<NodeId>(i);
        const auto [owner, is_new] = owners.try_emplace(network.ip(node), node);
        if (!is_new)
            throw network.conf.error("host." + network.topology->name(node) + ".ip",
                                     ip_text(owner->first) + " would be the address of both " +
                                         quote(network.topology->name(owner->second)) + " and " +
                                         quote(network.topology->name(node)) + ": give one of them another");
    }
    for (const auto& [name, host] : network.conf.hosts)
        if (host.gateway) check_gateway(network.conf, name, host);
}

}  // namespace

Mac Network::mac(NodeId node) const {
    if (topology) {
        const auto host = conf.hosts.find(topology->name(node));
        if (host != conf.hosts.end() && host->second.mac) return *host->second.mac;
    }
    return default_mac(node);
}

Ip Network::ip(NodeId node) const {
    if (topology) {
        const auto host = conf.hosts.find(topology->name(node));
        if (host != conf.hosts.end() && host->second.ip) return host->second.ip->address;
    }
    return default_ip(node);
}

UdpNetwork Network::udp(NodeId node) const {
    UdpNetwork udp;
    if (conf.encapsulation != Encapsulation::kUdp || !topology) return udp;
    udp.port = conf.udp_port.value_or(kDefaultUdpPort);
    for (std::size_t i = 0; i < topology->node_count(); ++i)
        udp.addresses.push_back(ip(static_cast<NodeId>(i)));
    const auto host = conf.hosts.find(topology->name(node));
    if (host != conf.hosts.end() && host->second.gateway) {
        udp.gateway = *host->second.gateway;
        udp.subnet_bits = *host->second.ip->bits;
    }
    return udp;
}

Network load_network(NodeConf conf, std::optional<Topology> otherwise) {
    Network network{std::move(conf), {}, {}, {}};
    load_topology(network);
    if (!network.topology) network.topology = std::move(otherwise);
    const Topology* topology = network.topology ? &*network.topology : nullptr;
    check_hosts(network.conf, topology);
    if (topology != nullptr) {
        identify(network.conf, *topology);
        check_addresses(network);
        check_ips(network);
    }
    if (!network.conf.shmem_map.empty())
        network.shmem = load_shmem_map(network.conf.resolve(network.conf.shmem_map),
                                       {network.conf.pages.value_or(kDefaultPages), topology});
    return network;
}

}  // namespace isoplane::topology
