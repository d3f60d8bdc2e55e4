// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/membership/agreement.hh>
#include <isoplane/tm/token_manager.hh>

namespace isoplane::membership {

/// A token manager on its own that takes part in logical time as long as the others hear it.
class Manager final : public Body {
  public:
    /// All but the options outlive it.
    Manager(niu::Niu& niu, tm::TokenManager& manager, const topology::Topology& topology,
            const Options& options)
        : manager_(manager), agreement_(niu, topology, *this, options) {
        manager_.count_as_stopped(options.pause());
    }

    /// After each poll of the NIU.
    void poll(Time now) { agreement_.poll(now); }

    const Agreement& agreement() const noexcept { return agreement_; }

  private:
    isotach::Standing freeze() noexcept override;
    void begin(const wire::View& view) override;
    void stop() noexcept override {}
    void add_silent(std::vector<NodeId>& nodes) const override;
    std::uint64_t clock() const noexcept override { return manager_.sent(); }

    tm::TokenManager& manager_;
    Agreement agreement_;
};

}  // namespace isoplane::membership
