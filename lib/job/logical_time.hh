// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/isotach/isotach.hh>
#include <isoplane/membership/host.hh>
#include <isoplane/niu/dispatcher.hh>
#include <isoplane/tm/token_manager.hh>
#include <isoplane/topology/paths.hh>
#include <memory>
#include <string>

namespace isoplane::job {

/// The token manager of that name. Throws std::invalid_argument when there is none in the network.
topology::NodeId find_manager(const topology::Topology& topology, const std::string& name);

/// What a program in logical time has beside its NIU.
class LogicalTime {
  public:
    /// `beside` is the token manager that runs in this process, if one does; when it is that of this host's
    /// switch, the host is it (niu::Options::manages). `topology` outlives it. With exchange.in_views in
    /// `options`, it goes on without members that are not heard for `limit`.
    LogicalTime(const topology::Topology& topology, niu::Niu& niu, niu::Dispatcher& dispatcher,
                runtime::Pool& pool, const siu::SiuOptions& options, const isotach::Options& isotach,
                const std::string& beside, runtime::Duration limit);

    /// After each poll of isotach().
    void poll_membership(runtime::Time now) {
        if (membership_) membership_->poll(now);
    }

    isotach::Isotach& isotach() noexcept { return isotach_; }
    bool started() const noexcept { return isotach_.started(); }
    /// It has begun, or gone on, without that host.
    bool has_left(niu::NodeId host) const noexcept { return isotach_.has_left(host); }
    /// It goes on when nodes die.
    bool survives() const noexcept { return membership_ != nullptr; }

    /// A sentence when time has stood still for longer than the limit, or is not what it promises; empty
    /// else.
    std::string trouble(runtime::Duration limit) const;
    void describe(nlohmann::json& out) const;

  private:
    std::string awaited() const;

    topology::Paths paths_;
    siu::Siu siu_;
    isotach::Isotach isotach_;
    std::unique_ptr<tm::TokenManager> manager_;
    std::unique_ptr<membership::Host> membership_;  ///< plays it then
};

}  // namespace isoplane::job
