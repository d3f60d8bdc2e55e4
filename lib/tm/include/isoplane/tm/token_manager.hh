// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <nlohmann/json_fwd.hpp>

#include <isoplane/tm/relay.hh>

namespace isoplane::tm {

/// The token manager of a switch: exchanges tokens with the hosts on it and the token managers of adjacent
/// switches.
///
/// - It runs beside whatever has an NIU: alone, at a port of the fabric, or beside a host of another switch.
/// A
///   host of its own switch does the work itself: siu::Siu.
/// - When a host that took part in the present time starts again, time starts again for all.
class TokenManager final : public Relay<TokenManager> {
  public:
    /// For the token manager `node` of the topology, which outlives it as `niu` does. Of `options`, node,
    /// neighbours, reach and hosts are set here.
    TokenManager(niu::Niu& niu, const topology::Paths& paths, NodeId node, ExchangeOptions options = {});

    void describe(nlohmann::json& out) const;

    /// How often time has started again.
    std::uint64_t restarts() const noexcept { return restarts_.get(); }

  private:
    friend class Relay<TokenManager>;

    static constexpr bool kAnswersAtOnce = true;
    void on_entry(std::uint64_t /*number*/, const wire::TokenEntry& /*entry*/) noexcept {}
    void on_entry_behind(NodeId /*sender*/, std::uint64_t /*number*/,
                         const wire::TokenEntry& /*entry*/) noexcept {}
    bool may_resend() const noexcept;
    std::uint64_t may_send_to() const noexcept { return UINT64_MAX; }
    bool is_silent(std::uint64_t /*number*/) const noexcept { return false; }
    void on_send(std::uint64_t /*number*/) noexcept {}
    void add_own(std::size_t /*neighbour*/, Entries& entries) const noexcept { entries.clear(); }
    static std::uint64_t may_announce_to(NodeId /*host*/) noexcept { return 0; }
    void announce_to(NodeId /*host*/, Entries& /*entries*/) noexcept {}
    bool wants() const noexcept { return false; }
    void on_others_want() noexcept {}
    NodeId carrier(NodeId /*neighbour*/) const noexcept { return wire::kNoNode; }
    bool on_restart(NodeId neighbour) noexcept;

    std::uint64_t unprompted_;  ///< tokens that other token managers send in any case
    runtime::Counter restarts_;
};

extern template class Relay<TokenManager>;

}  // namespace isoplane::tm
