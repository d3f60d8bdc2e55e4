// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <isoplane/topology/topology.hh>

namespace isoplane::run {

/// What all ranks are told alike.
struct JobConf {
    std::uint32_t job_key = 0;
    std::string progress;  ///< inline or lcore
    unsigned mtu = 0;
};

/// The files of one job, which its owner alone may read. The guard removes it; see Guard.
class JobDirectory {
  public:
    /// Makes it below $XDG_RUNTIME_DIR, or /tmp without that.
    JobDirectory();

    const std::string& path() const { return path_; }
    std::string file(const std::string& name) const { return path_ + "/" + name; }

    void write_topology(const topology::Topology& topology) const;
    /// Returns the path of the node.conf of a rank, which is host `rank` of the topology.
    std::string write_node_conf(const JobConf& job, const topology::Topology& topology, unsigned rank,
                                const std::string& link) const;

  private:
    std::string path_;
};

/// One switch with hosts node0, node1 and so on.
topology::Topology plain_topology(std::size_t hosts);

}  // namespace isoplane::run
