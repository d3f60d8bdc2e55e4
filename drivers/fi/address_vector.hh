// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <set>
#include <unordered_map>
#include <vector>

#include "address.hh"
#include "domain.hh"

namespace isoplane::fi {

/// Which fi_addr_t is which process. In a map it is node and pid themselves; in a table it is where they
/// stand.
class AddressVector : public fid_av, public Shared {
  public:
    using Fid = fid_av;

    AddressVector(Domain& domain, bool is_table) : fid_av{}, domain_(domain), is_table_(is_table) {}

    Domain& domain() noexcept { return domain_; }
    bool is_table() const noexcept { return is_table_; }

    fi_addr_t insert(const portals::ProcessId& id);
    bool remove(fi_addr_t address);
    /// Nobody when it is none of ours.
    portals::ProcessId find(fi_addr_t address) const noexcept;
    fi_addr_t name_of(const portals::ProcessId& id) const noexcept;

  private:
    static std::uint64_t word(const portals::ProcessId& id) { return std::uint64_t{id.nid} << 32 | id.pid; }

    Domain& domain_;
    const bool is_table_;
    std::vector<portals::ProcessId> table_;
    std::set<fi_addr_t> free_;  ///< places there
    std::unordered_map<std::uint64_t, fi_addr_t> names_;
};

int open_address_vector(fid_domain* domain, fi_av_attr* attributes, fid_av** opened, void* context);

}  // namespace isoplane::fi
