// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/portals/types.hh>
#include <map>
#include <vector>

#include "counter.hh"

namespace isoplane::fi {

class Domain;
class Endpoint;

/// Memory that others may reach: at every endpoint of its domain it is an entry whose match bits are its key.
class Region : public fid_mr {
  public:
    using Fid = fid_mr;

    Region(Domain& its_domain, const iovec& its_memory, std::uint64_t rights, std::uint64_t own_key)
        : fid_mr{}, domain(its_domain), memory(its_memory), access(rights) {
        key = own_key;
        mem_desc = this;
    }

    /// The part of it that somebody else asks for; nullptr when it may not, or there is none.
    std::byte* find(std::uint64_t offset, std::size_t size, std::uint64_t right) const noexcept {
        if ((access & right) != right || offset > memory.iov_len || size > memory.iov_len - offset)
            return nullptr;
        return static_cast<std::byte*>(memory.iov_base) + offset;
    }

    Domain& domain;
    const iovec memory;
    const std::uint64_t access;
    std::uint32_t number = 0;
    Use<Counter> writes;  ///< of others
    Use<Counter> reads;
};

/// Those of a domain. Used with the network's lock held.
class Regions {
  public:
    /// False when there is one with that key.
    bool add(Region& region);
    void remove(const Region& region);
    Region* find(std::uint64_t key) const noexcept;
    Region* numbered(std::uint32_t number) const noexcept {
        return number < numbered_.size() ? numbered_[number] : nullptr;
    }
    /// No two regions have it at the same time.
    std::uint32_t next_number() const noexcept;

    template <typename Visit>
    void for_each(Visit&& visit) const {
        for (Region* region : numbered_)
            if (region != nullptr) visit(*region);
    }

  private:
    std::vector<Region*> numbered_;
    std::map<std::uint64_t, Region*> keys_;
};

/// How keys of ours are made: they have the address where the memory begins, so that others can say by an
/// address which part of it they mean.
inline constexpr unsigned kAddressBits = 47;
inline constexpr std::uint64_t base_of(std::uint64_t key) {
    return key & ((std::uint64_t{1} << kAddressBits) - 1);
}

fi_ops_mr* region_ops();

}  // namespace isoplane::fi
