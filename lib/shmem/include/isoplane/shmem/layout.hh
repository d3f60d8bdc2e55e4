// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/wire/access.hh>
#include <string>
#include <vector>

#include <isoplane/shmem/pages.hh>

namespace isoplane::shmem {

/// What all hosts have to agree on before they use the memory: how large it is, and who holds which copies.
/// Each tells all others before anything else, as the answer to a read that nobody has issued.
class Layout {
  public:
    static constexpr std::uint32_t kTicket = 0;
    static constexpr std::uint16_t kToo = 1;  ///< as the offset: who is told has to tell, too

    explicit Layout(const Pages& pages);

    wire::Answer told(std::uint16_t too = 0) const;
    /// What another host has told.
    void hear(NodeId host, const wire::Answer& told);

    /// The first of so many hosts that has not told the same and is not one `without(host)` whom it goes;
    /// `hosts` when all have.
    template <typename Without>
    std::size_t unheard(std::size_t hosts, Without&& without) const {
        for (std::size_t host = 0; host < hosts; ++host) {
            const auto id = static_cast<NodeId>(host);
            if (id != here_ && (host >= heard_.size() || !heard_[host]) && !without(id)) return host;
        }
        return hosts;
    }
    /// A sentence about what another host has otherwise; empty when there is none.
    const std::string& difference() const noexcept { return difference_; }

  private:
    NodeId here_;
    Extent extent_;
    std::uint64_t copysets_;
    std::vector<bool> heard_;  ///< by host, if it has told the same
    std::string difference_;
};

}  // namespace isoplane::shmem
