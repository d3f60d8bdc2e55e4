// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/topology/paths.hh>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include <isoplane/tm/token_exchange.hh>

namespace isoplane::tm {

/// The token manager of a switch: exchanges tokens with the hosts on it and the token managers of adjacent
/// switches, and passes on what is in them.
///
/// - An entry for one host goes one hop a token along the shortest way to it; one for every host along the
///   tree of shortest ways from its source, so that it comes to each once, in networks with cycles, too.
/// - It runs beside whatever has an NIU: alone, beside a host, or at a port of the fabric.
/// - When a host that took part in the present time starts again, time starts again for all.
class TokenManager final : public TokenExchange {
  public:
    /// For the token manager `node` of the topology, which outlives it as `niu` does. Of `options`, node,
    /// neighbours and reach are set here.
    TokenManager(niu::Niu& niu, const topology::Paths& paths, NodeId node, ExchangeOptions options = {});

    void describe(nlohmann::json& out) const;

    /// How often time has started again.
    std::uint64_t restarts() const noexcept { return restarts_.get(); }

  private:
    bool answers_at_once() const noexcept override { return true; }
    void on_complete(std::uint64_t /*number*/) noexcept override {}
    bool may_resend() const noexcept override;
    bool may_send() noexcept override { return true; }
    void fill(std::uint64_t number, std::size_t neighbour, Entries& entries) noexcept override;
    std::uint8_t wanted() noexcept override;
    void on_wanted(std::size_t neighbour, std::uint8_t hops) noexcept override;
    bool on_restart(NodeId neighbour) noexcept override;
    std::uint8_t woken_for(std::uint64_t number) const noexcept;
    bool goes_to(const wire::TokenEntry& entry, NodeId from, NodeId to) const noexcept;

    const topology::Paths& paths_;
    std::uint64_t unprompted_;  ///< tokens that other token managers send in any case
    /// By hops: time is wanted for so many from here up to this token. Each has its own end: what a neighbour
    /// passes on of what it was told here, for fewer hops, does not keep alive what it was told.
    std::vector<std::uint64_t> woken_through_;
    runtime::Counter restarts_;
};

}  // namespace isoplane::tm
