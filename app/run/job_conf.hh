// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <isoplane/topology/node_conf.hh>
#include <isoplane/topology/topology.hh>

namespace isoplane::run {

/// One switch with hosts node0, node1 and so on.
topology::Topology plain_topology(std::size_t hosts);

/// What all ranks are told alike.
struct JobConf {
    topology::NodeConf base;  ///< what the user gave; its links are hosts', see has_own_links()
    topology::Topology topology = plain_topology(1);
    std::string shmem_map;  ///< the text of that file; empty for none
    std::string key;        ///< of the key file that all nodes have; empty for none
    std::string progress;   ///< inline or lcore
    unsigned mtu = 0;
    bool first_manages = false;  ///< rank 0 is the token manager of its switch, too
    std::vector<std::pair<std::string, std::string>> settings;  ///< further lines, of --set
};

/// Whether hosts are on a network of their own, by host.NAME.link and host.NAME.ssh, and need no fabric.
bool has_own_links(const topology::NodeConf& base);

/// Throws std::invalid_argument for what a node.conf for all ranks cannot say, and a host that has no link
/// while others do.
void check_base(const topology::NodeConf& base, const topology::Topology& topology);

/// "KEY=VALUE" taken apart, for JobConf::settings. Throws std::invalid_argument when it is not of that form,
/// and for a KEY that a node.conf has anyway: ranks differ in it, or another option or the --config says it.
std::pair<std::string, std::string> parse_setting(const std::string& word);

/// Adds it to JobConf::settings. Throws std::invalid_argument for a KEY that is there already.
void add_setting(JobConf& job, std::pair<std::string, std::string> setting);

/// What `base` says of the host of a rank.
topology::HostConf host_of(const JobConf& job, unsigned rank);

/// The node.conf of a rank. The files that it names lie in `where`, which ends with a '/', or beside it.
std::string node_conf_text(const JobConf& job, unsigned rank, const std::vector<std::string>& links,
                           const std::string& where);

/// MB of memory for the keys of the job's token managers: each has those of all nodes.
unsigned key_memory_mb(const JobConf& job);

/// The node.conf of the job's token managers, beside the fabric. The files that it names lie in `where`.
std::string manager_conf_text(const JobConf& job, const std::string& where);

}  // namespace isoplane::run
