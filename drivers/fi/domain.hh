// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <vector>

#include "fabric.hh"
#include "memory_region.hh"
#include "network.hh"

namespace isoplane::fi {

class Endpoint;

/// What endpoints have in common: memory that others may reach, and how progress is made.
class Domain : public fid_domain, public Shared {
  public:
    using Fid = fid_domain;

    Domain(Fabric& fabric, Network& network, bool is_basic, bool is_automatic);
    ~Domain();
    Domain(const Domain&) = delete;
    Domain& operator=(const Domain&) = delete;

    Network& network() noexcept { return network_; }
    /// Memory is registered as libfabric 1.4 had it.
    bool is_basic() const noexcept { return is_basic_; }

    // With the network's lock held.

    void add(Endpoint& endpoint) { endpoints_.push_back(&endpoint); }
    void remove(Endpoint& endpoint) { std::erase(endpoints_, &endpoint); }
    const std::vector<Endpoint*>& endpoints() const noexcept { return endpoints_; }
    Regions& regions() noexcept { return regions_; }

  private:
    Use<Fabric> fabric_;
    Network& network_;
    const bool is_basic_;
    const bool is_automatic_;
    std::vector<Endpoint*> endpoints_;
    Regions regions_;
};

int open_domain(fid_fabric* fabric, fi_info* info, fid_domain** opened, void* context);

}  // namespace isoplane::fi
