// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <isoplane/auth/key.hh>
#include <isoplane/isotach/options.hh>
#include <isoplane/topology/network.hh>
#include <optional>
#include <string>
#include <vector>

namespace isoplane::job {

/// Who moves the packets of a program.
enum class Progress : std::uint8_t {
    kInline,  ///< the program, whenever it calls: the lowest latency
    kLcore,   ///< a thread of its own, while the program computes
};

/// What a program has to know to take part in a job.
struct Settings {
    topology::Network network;          ///< with a topology, and this node's id in it
    std::string link;                   ///< the spec of the port
    std::vector<std::string> planes{};  ///< those of further ports, which carry data of Portals beside it
    Progress progress = Progress::kInline;
    unsigned mtu = 1500;
    unsigned packets = 8191;                        ///< in the pool
    std::chrono::milliseconds silence{30'000};      ///< after which a peer is dead
    std::chrono::milliseconds hello_limit{30'000};  ///< within which all nodes have to be there
    std::optional<auth::Key> key{};                 ///< by which frames are authenticated, if they are
    bool trust_fcs = false;  ///< whether payloads go without a checksum, between nodes that say so
    /// Whether long messages of Portals are read in the memory of their sender, if it is on this machine and
    /// does the same: past the link, so that of those only one that leads to a shared node says so itself.
    std::optional<bool> reads_memory{};
    bool logical_time = false;    ///< whether the program takes part in it; its own choice, in no file
    bool shared_memory = false;   ///< whether it has shared memory, in logical time; its own choice, too
    bool portals = false;         ///< whether it speaks Portals; its own choice, too
    bool portals_locked = false;  ///< by a lock of the program's, around all that it does with them
    unsigned page_words = 1024;   ///< of its pages
    isotach::Options isotach{};
    std::chrono::microseconds pulse_interval{0};  ///< between two tokens of this host, at least
    std::string token_manager;  ///< the one that this program runs beside its host; empty for none

    std::uint16_t node() const { return *network.conf.id; }
    /// The names of all hosts, by node id.
    std::vector<std::string> hosts() const;
};

/// From the node.conf that the environment variable ISOPLANE_CONFIG names, as `isoplane run` sets it. What
/// that does not say of rank, size and job key, an MPI launcher may: and then a link in ISOPLANE_LINK is
/// enough. Throws std::runtime_error, or topology::Error, with a sentence.
///
/// Where nothing says the link of a process that an MPI launcher has started, `meet` may name one, which the
/// processes of that job key share or each have.
Settings settings_from_environment(const std::function<std::string(std::uint32_t job_key)>& meet = {});

/// Whether the environment says anything of a job.
bool is_in_job();

/// From a node.conf. Beyond the keys of topology::node_options() it may have progress, mtu, packets,
/// page-size, silence and hello-limit (both in seconds), token-manager, max-message,
/// outstanding, pulse-interval (in microseconds), paranoid, trust-fcs and read-memory; it has none of those
/// that only `isoplane node` heeds.
Settings load_settings(const std::string& file);

}  // namespace isoplane::job
