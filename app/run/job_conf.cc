// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "job_conf.hh"

#include <algorithm>
#include <isoplane/auth/crypto.hh>
#include <isoplane/auth/opener.hh>
#include <isoplane/topology/node_options.hh>
#include <stdexcept>
#include <string_view>

namespace isoplane::run {

topology::Topology plain_topology(std::size_t hosts) {
    topology::SwitchSpec one;
    for (std::size_t host = 0; host < hosts; ++host)
        one.ports.push_back({.kind = topology::PortKind::kHost, .name = "node" + std::to_string(host)});
    return topology::Topology({&one, 1});
}

namespace {

/// Keys of a program that are options of `isoplane run` as well.
bool is_option_of_run(std::string_view key) {
    return key == "progress" || key == "mtu";
}

}  // namespace

bool has_own_links(const topology::NodeConf& base) {
    return std::ranges::any_of(base.hosts,
                               [](const auto& h) { return !h.second.link.empty() || !h.second.ssh.empty(); });
}

void check_base(const topology::NodeConf& base, const topology::Topology& topology) {
    if (base.id || !base.name.empty() || !base.links.empty())
        throw std::invalid_argument(
            "the --config of a job says id, name or link, which every rank has its own of: leave them out, "
            "and write host.NAME.link for the links of hosts.");
    if (!base.roles.empty() && base.roles != std::vector<std::string>{"host"})
        throw base.error("role", "the ranks of a job are hosts, and would pass it over: remove it");
    topology::refuse_options_of_node_command(base);
    for (const auto& [key, value] : base.more)
        throw base.error(key, "the command line says it of a job: give it as " +
                                  (is_option_of_run(key) ? "--" + key + ' ' : "--set " + key + '=') + value);
    if (!base.network_cfg.empty())
        throw std::invalid_argument("the --config of a job names a network.cfg: name an fmconfig instead.");
    for (const auto& [name, host] : base.hosts)
        if (!topology.find(name))
            throw std::invalid_argument("the --config names host " + name +
                                        ", which is not in the topology: add it there, or remove it here.");
    if (!has_own_links(base)) return;
    for (topology::NodeId node = 0; node < topology.host_count(); ++node) {
        const auto host = base.hosts.find(topology.name(node));
        if (host == base.hosts.end() || host->second.link.empty())
            throw std::invalid_argument(
                "host " + topology.name(node) +
                " has no link, and no fabric is started when others have: write host." + topology.name(node) +
                ".link=SPEC.");
    }
}

std::pair<std::string, std::string> parse_setting(const std::string& word) {
    const std::size_t middle = word.find('=');
    if (middle == std::string::npos || middle == 0 || middle + 1 == word.size())
        throw std::invalid_argument("--set " + word + " is no setting: write KEY=VALUE, as in silence=5.");
    std::string key = word.substr(0, middle);
    if (is_option_of_run(key))
        throw std::invalid_argument("--set " + word + " is what the option --" + key + " says: use that.");
    if (topology::is_of_node_command(key))
        throw std::invalid_argument("--set " + key +
                                    " is for isoplane node, and programs would pass it over: leave it out.");
    const bool is_common = topology::node_options().find_nothrow(key, false) != nullptr;
    if (is_common || key.find('.') != std::string::npos)
        throw std::invalid_argument(
            "--set " + key + " is not for the command line: the launcher says it, or the --config does.");
    return {std::move(key), word.substr(middle + 1)};
}

void add_setting(JobConf& job, std::pair<std::string, std::string> setting) {
    const bool is_there = std::ranges::any_of(
        job.settings, [&](const auto& earlier) { return earlier.first == setting.first; });
    if (is_there)
        throw std::invalid_argument("--set " + setting.first + "=" + setting.second + ": " + setting.first +
                                    " is said already, and stands in a node.conf once: leave out one.");
    job.settings.push_back(std::move(setting));
}

topology::HostConf host_of(const JobConf& job, unsigned rank) {
    const auto host = job.base.hosts.find(job.topology.name(static_cast<topology::NodeId>(rank)));
    return host == job.base.hosts.end() ? topology::HostConf{} : host->second;
}

namespace {

/// What one node has to know of the others.
std::map<std::string, topology::HostConf> addresses_in(const topology::NodeConf& base) {
    std::map<std::string, topology::HostConf> hosts = base.hosts;
    for (auto& [name, host] : hosts)
        host.link = host.ssh = "";
    return hosts;
}

}  // namespace

std::string node_conf_text(const JobConf& job, unsigned rank, const std::vector<std::string>& links,
                           const std::string& where) {
    topology::NodeConf conf = job.base;
    conf.roles = {"host"};
    conf.links = links;
    conf.id = static_cast<topology::NodeId>(rank);
    conf.name = job.topology.name(*conf.id);
    conf.fmconfig = where + "fmconfig";
    if (!job.shmem_map.empty()) conf.shmem_map = where + "shmem_map";
    if (!job.key.empty()) conf.key = where + "key";
    conf.hosts = addresses_in(job.base);
    conf.more = {{"progress", job.progress}, {"mtu", std::to_string(job.mtu)}};
    if (job.first_manages && rank == 0)
        conf.more.emplace_back("token-manager", job.topology.name(job.topology.token_manager(0)));
    conf.more.insert(conf.more.end(), job.settings.begin(), job.settings.end());
    return topology::write_node_conf(conf);
}

unsigned key_memory_mb(const JobConf& job) {
    if (job.key.empty()) return 0;
    const std::size_t nodes = job.topology.node_count();
    const auto managers = static_cast<unsigned>(nodes - job.topology.host_count());
    return managers * auth::Crypto::memory_mb(auth::Opener::keys(nodes));
}

std::string manager_conf_text(const JobConf& job, const std::string& where) {
    topology::NodeConf conf;
    conf.job_key = job.base.job_key;
    conf.tokens_ahead = job.base.tokens_ahead;
    conf.survive = job.base.survive;
    conf.encapsulation = job.base.encapsulation;
    conf.udp_port = job.base.udp_port;
    conf.fmconfig = where + "fmconfig";
    if (!job.key.empty()) conf.key = where + "key";
    conf.hosts = addresses_in(job.base);
    return topology::write_node_conf(conf);
}

}  // namespace isoplane::run
