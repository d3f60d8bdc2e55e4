// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <isoplane/topology/error.hh>
#include <isoplane/topology/ip.hh>
#include <isoplane/topology/limits.hh>
#include <isoplane/topology/mac.hh>

namespace isoplane::topology {

/// What is said of one host or named token manager.
struct HostConf {
    std::optional<Mac> mac;          ///< instead of default_mac()
    std::string link;                ///< the link spec by which the launcher gives it its port
    std::string ssh;                 ///< where it runs, as ssh takes it: [user@]machine
    std::optional<IpInSubnet> ip{};  ///< where frames travel in UDP, instead of default_ip()
    std::optional<Ip> gateway{};     ///< there, the router to those outside of its subnet
    bool operator==(const HostConf&) const = default;
};

/// How the frames of a job travel.
enum class Encapsulation : std::uint8_t { kEthernet, kUdp };

/// What a node is told: by its node.conf, and by its command line on top. An empty or missing value was not
/// given.
struct NodeConf {
    std::vector<std::string> roles;
    std::vector<std::string> links;  ///< as given, one string for each time; a spec may itself have commas
    std::optional<NodeId> id;
    std::string name;
    std::string place;
    std::string exec;                    ///< a path; see resolve()
    std::optional<double> stats_period;  ///< seconds
    std::optional<double> duration;      ///< seconds
    std::optional<std::uint32_t> job_key;
    std::string key;  ///< a path: the secret by which frames are authenticated; none when not given
    std::optional<std::uint32_t> tokens_ahead;  ///< h; kDefaultTokensAhead when not given
    std::optional<double> survive;  ///< seconds of silence that logical time outlives a node by; nothing: not
    std::optional<Encapsulation> encapsulation;
    std::optional<std::uint16_t> udp_port;
    std::string fmconfig;     ///< a path
    std::string network_cfg;  ///< a path
    std::string shmem_map;    ///< a path
    std::optional<std::uint32_t> pages;
    std::map<std::string, HostConf> hosts;
    /// What was given of the options that the caller added to those here: key and value, in order.
    std::vector<std::pair<std::string, std::string>> more;

    /// Where it stands in which file, for errors and relative paths; no part of what it says.
    struct Origin {
        std::string file;
        std::map<std::string, Position, std::less<>> places;  ///< by option; a command line has none
        bool operator==(const Origin&) const { return true; }
    };
    Origin origin;

    /// A path of this node.conf from the working directory: relative ones count from the directory of the
    /// file.
    std::string resolve(const std::string& path) const;
    /// An Error at the place where an option was given.
    Error error(std::string_view option, std::string sentence) const;

    bool operator==(const NodeConf&) const = default;
};

/// Reads a node.conf: "key=value" lines, "[section]" for the part of the keys before a '.', '#' for comments.
/// The keys are those of node_options(), in node_options.hh. `file` stands in errors, and gives relative
/// paths their directory. Throws Error, with the place, for an unknown key (and names the nearest), a key
/// twice (except link), and a value that does not fit.
NodeConf parse_node_conf(std::string_view text, const std::string& file = "node.conf");

/// As parse_node_conf, from a file.
NodeConf load_node_conf(const std::string& path);

/// The text from which parse_node_conf (with the same `more`) makes an equal NodeConf. Throws Error when a
/// value cannot be said in such a file: '#', a line end, or a blank at its edge.
std::string write_node_conf(const NodeConf& conf);

}  // namespace isoplane::topology
