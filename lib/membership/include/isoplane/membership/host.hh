// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/isotach/isotach.hh>
#include <isoplane/membership/agreement.hh>
#include <isoplane/tm/token_manager.hh>
#include <memory>
#include <vector>

namespace isoplane::membership {

/// A host that takes part in logical time as long as the others hear it; and the token managers that it
/// plays, its own and those that it stands in for.
class Host final : public Body {
  public:
    /// `exchange` are the options of those token managers. All else outlives it.
    Host(niu::Niu& niu, siu::Siu& siu, isotach::Isotach& isotach, const topology::Paths& paths,
         tm::ExchangeOptions exchange, Options options);

    /// After Isotach::poll(), or what there is in its place.
    void poll(Time now) { agreement_.poll(now); }

    const Agreement& agreement() const noexcept { return agreement_; }
    /// Those that this host plays in this view, but for that which its SIU is.
    const std::vector<std::unique_ptr<tm::TokenManager>>& managers() const noexcept { return managers_; }
    void be_quiet(bool quiet) noexcept;

  private:
    isotach::Standing freeze() noexcept override;
    void begin(const wire::View& view) override;
    void stop() noexcept override {}
    void add_silent(std::vector<NodeId>& nodes) const override;
    std::uint64_t clock() const noexcept override { return siu_.clock(); }
    tm::TokenManager& manager(NodeId node);

    niu::Niu& niu_;
    siu::Siu& siu_;
    isotach::Isotach& isotach_;
    const topology::Paths& paths_;
    tm::ExchangeOptions exchange_;
    std::vector<std::unique_ptr<tm::TokenManager>> managers_;
    Agreement agreement_;
};

}  // namespace isoplane::membership
