// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/isotach/isotach.hh>
#include <isoplane/niu/dispatcher.hh>
#include <isoplane/tm/token_manager.hh>
#include <isoplane/topology/paths.hh>
#include <memory>
#include <string>

namespace isoplane::job {

/// What a program in logical time has beside its NIU.
class LogicalTime {
  public:
    /// `beside` is the token manager that runs in this process, if one does. `topology` outlives it.
    LogicalTime(const topology::Topology& topology, niu::Niu& niu, niu::Dispatcher& dispatcher,
                runtime::Pool& pool, const siu::SiuOptions& options, const isotach::Options& isotach,
                const std::string& beside);

    unsigned poll(runtime::Time now) noexcept {
        const unsigned moved = manager_ ? manager_->poll(now) : 0;
        return moved + isotach_.poll(now);
    }

    /// That runs in this process; nullptr when none does.
    tm::TokenManager* manager() noexcept { return manager_.get(); }
    isotach::Isotach& isotach() noexcept { return isotach_; }
    bool started() const noexcept { return siu_.started(); }

    /// A sentence when time has stood still for longer than the limit, or is not what it promises; empty
    /// else.
    std::string trouble(runtime::Duration limit) const;
    void describe(nlohmann::json& out) const;

  private:
    std::string manager_name() const;

    topology::Paths paths_;
    siu::Siu siu_;
    isotach::Isotach isotach_;
    std::unique_ptr<tm::TokenManager> manager_;
};

}  // namespace isoplane::job
