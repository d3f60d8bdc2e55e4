// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <isoplane/topology/topology.hh>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace isoplane::niu {

/// A node of the job, numbered from 0.
using NodeId = std::uint16_t;

/// The names of a job's nodes by number, empty for a node without an NIU. They do not change, and copies
/// share them: a process that simulates thousands of nodes keeps them once.
class Names {
  public:
    Names() : Names(std::vector<std::string>{}) {}
    Names(std::vector<std::string> names) : shared_(std::make_shared<const Shared>(std::move(names))) {}
    Names(std::initializer_list<std::string> names) : Names(std::vector<std::string>(names)) {}

    std::size_t size() const noexcept { return shared_->names.size(); }
    const std::string& operator[](std::size_t node) const noexcept { return shared_->names[node]; }
    auto begin() const noexcept { return shared_->names.begin(); }
    auto end() const noexcept { return shared_->names.end(); }

    /// How many are not empty.
    std::size_t named() const noexcept { return shared_->named; }
    /// By node: which of those with a name it is, counted from 1; 0 for one without. Stays where it is as
    /// long as any copy of these names lives.
    const NodeId* places() const noexcept { return shared_->places.data(); }

  private:
    struct Shared {
        explicit Shared(std::vector<std::string> given) : names(std::move(given)), places(names.size(), 0) {
            for (std::size_t node = 0; node < names.size(); ++node)
                if (!names[node].empty()) places[node] = static_cast<NodeId>(++named);
        }

        std::vector<std::string> names;
        std::vector<NodeId> places;
        std::size_t named = 0;
    };

    std::shared_ptr<const Shared> shared_;
};

/// Those of the hosts; token managers have no NIU that anybody talks to.
inline Names names_of_hosts(const topology::Topology& topology) {
    std::vector<std::string> names(topology.node_count());
    for (std::size_t host = 0; host < topology.host_count(); ++host)
        names[host] = topology.name(static_cast<topology::NodeId>(host));
    return Names(std::move(names));
}

}  // namespace isoplane::niu
