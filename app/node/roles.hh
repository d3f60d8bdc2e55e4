// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <isoplane/auth/key.hh>
#include <isoplane/fabric/impairment.hh>
#include <isoplane/topology/network.hh>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "node.hh"
#include "prompt_command.hh"
#include "traffic/generate.hh"
#include "traffic/sink.hh"

namespace isoplane::fabric {
class Switch;
}

namespace isoplane::node {

class Gates;
class SharedPort;
class TimeHost;
class TokenManagers;

/// What the roles of a node are to do, beside their names.
struct RoleOptions {
    std::vector<std::string> roles;
    topology::Network network;  ///< the files that were named, read; gives nodes their addresses
    std::uint16_t id = 0;
    std::uint16_t to = 1;  ///< the node that `generate` sends to
    std::uint32_t job_key = 0;
    std::optional<auth::Key> key{};  ///< by which hosts and token managers authenticate their frames
    std::uint16_t size = 64;
    std::uint64_t count = 0;
    std::uint64_t expect = 0;
    traffic::Rate rate;
    std::uint32_t window = 0;  ///< frames that `generate` has under way at most; 0: any number
    unsigned prime = 0;        ///< bursts that `forward` begins with
    fabric::Impairment impairment;
    std::uint64_t seed = 1;
    std::vector<topology::NodeId> managers;  ///< the token managers that `tm` runs
    std::string clients;                     ///< where those of `shared` register
    bool until_left = false;                 ///< the work ends when they have left
    unsigned mtu = 1500;
};

/// Builds the stages of the roles between a node's links, and knows when their work is done.
class Roles {
  public:
    /// Throws std::invalid_argument with a sentence when the roles do not fit each other or the links.
    /// `placement` decides whether a link's two directions get stages of their own, rxN and txN.
    Roles(Node& node, const RoleOptions& options, const runtime::Placement& placement);
    ~Roles();

    /// Begins to take clients, once the stages have their places.
    void open();

    /// Commands that only these roles have.
    std::vector<PromptCommand> commands();

    /// The work has an end: --count, --expect, capture files to read, or the last client.
    bool ends() const;
    /// That has been reached.
    bool finished() const;
    /// What is missing to --count and --expect, as a sentence; empty when they were not given or are reached.
    std::string unfinished() const;

  private:
    bool counts() const;
    bool takes_files() const;
    void check_options() const;
    void add_fabric();
    void add_forward();
    void add_manager();
    void add_time_host();
    void add_shared();
    void add_host(std::size_t link);
    std::string set_impairment(const std::string& port, const std::string& key, const std::string& value);
    bool has(std::string_view role) const;
    bool files_read() const;
    runtime::Input& rx(std::size_t link);
    runtime::Output& tx(std::size_t link);

    Node& node_;
    RoleOptions options_;
    const runtime::Placement& placement_;
    fabric::Switch* switch_ = nullptr;
    std::unique_ptr<Gates> gates_;
    std::unique_ptr<TokenManagers> managers_;
    std::unique_ptr<TimeHost> host_;
    std::unique_ptr<SharedPort> shared_;
    std::vector<traffic::Generate*> generators_;
    std::vector<traffic::Sink*> sinks_;
};

}  // namespace isoplane::node
