// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/topology/paths.hh>
#include <vector>

#include <isoplane/tm/token_exchange.hh>

namespace isoplane::tm {

/// What neighbours' tokens say, passed on in one's own: an entry for one host one hop a token along the
/// shortest way to it; one for every host along the tree of shortest ways from its source, so that it comes
/// to each once, in networks with cycles, too; and that time is wanted, one hop less far.
///
/// A host with a token manager of its own has one neighbour, and so nothing to pass on.
class Relay : public TokenExchange {
  protected:
    /// `paths` outlives it, as `niu` does.
    Relay(niu::Niu& niu, const topology::Paths& paths, ExchangeOptions options);

    /// What this node itself has to say to that neighbour, in place of what is there. After on_send(), for
    /// one neighbour after the other.
    virtual void add_own(std::size_t neighbour, Entries& entries) noexcept = 0;
    /// Whether this node itself wants time to go on.
    virtual bool wants() const noexcept = 0;
    /// Somebody else does.
    virtual void on_others_want() noexcept = 0;

    void forget_wanted() noexcept;
    const topology::Paths& paths() const noexcept { return paths_; }

  private:
    void fill(std::uint64_t number, std::size_t neighbour, Entries& entries) noexcept final;
    std::uint8_t wanted() noexcept final;
    void on_wanted(std::size_t neighbour, std::uint8_t hops) noexcept final;
    std::uint8_t woken_for(std::uint64_t number) const noexcept;
    bool goes_to(const wire::TokenEntry& entry, NodeId from, NodeId to) const noexcept;

    const topology::Paths& paths_;
    bool passes_on_;  ///< this node is a token manager: what neighbours want is for others, too
    /// By hops: time is wanted for so many from here up to this token. Each has its own end: what a neighbour
    /// passes on of what it was told here, for fewer hops, does not keep alive what it was told.
    std::vector<std::uint64_t> woken_through_;
};

}  // namespace isoplane::tm
