// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "job_directory.hh"

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <isoplane/topology/fmconfig.hh>
#include <isoplane/topology/node_conf.hh>

namespace isoplane::run {

namespace {

/// A directory of the user's own, while paths of sockets in it stay short enough.
std::string parent() {
    constexpr std::size_t kLongest = 64;
    const char* const own = std::getenv("XDG_RUNTIME_DIR");
    const bool usable =
        own != nullptr && own[0] == '/' && std::strlen(own) <= kLongest && std::filesystem::is_directory(own);
    return usable ? own : "/tmp";
}

void write_file(const std::string& path, const std::string& text) {
    std::ofstream file(path);
    file << text;
    file.close();
    if (!file)
        throw std::runtime_error("'" + path + "' cannot be written: " + std::strerror(errno) +
                                 ". Make room there.");
}

}  // namespace

JobDirectory::JobDirectory() : path_(parent() + "/isoplane-run-XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr)
        throw std::runtime_error("no directory for the job can be made in '" + parent() +
                                 "': " + std::strerror(errno) + ". Set XDG_RUNTIME_DIR to one of your own.");
}

void JobDirectory::write_topology(const topology::Topology& topology) const {
    write_file(file("fmconfig"), topology::write_fmconfig(topology));
}

std::string JobDirectory::write_node_conf(const JobConf& job, const topology::Topology& topology,
                                          unsigned rank, const std::string& link) const {
    const std::string directory = file(std::to_string(rank));
    std::filesystem::create_directory(directory);
    topology::NodeConf conf;
    conf.roles = {"host"};
    conf.links = {link};
    conf.id = static_cast<topology::NodeId>(rank);
    conf.name = topology.name(*conf.id);
    conf.job_key = job.job_key;
    conf.fmconfig = file("fmconfig");
    conf.more = {{"progress", job.progress}, {"mtu", std::to_string(job.mtu)}};
    write_file(directory + "/node.conf", topology::write_node_conf(conf));
    return directory + "/node.conf";
}

topology::Topology plain_topology(std::size_t hosts) {
    topology::SwitchSpec one;
    for (std::size_t host = 0; host < hosts; ++host)
        one.ports.push_back({.kind = topology::PortKind::kHost, .name = "node" + std::to_string(host)});
    return topology::Topology({&one, 1});
}

}  // namespace isoplane::run
