// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/membership/manager.hh>
#include <isoplane/niu/niu.hh>
#include <isoplane/tm/report.hh>
#include <isoplane/tm/token_manager.hh>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "ways.hh"

namespace isoplane::node {

/// A token manager and the NIU by which it speaks, as one stage: whatever worker it is placed on, both are.
class ManagerStage final : public runtime::Stage {
  public:
    ManagerStage(const std::string& name, runtime::Input& from, runtime::Output& to, runtime::Pool& pool,
                 std::shared_ptr<const Ways> ways, const niu::Options& options, const TimeOptions& time)
        : Stage(name),
          ways_(std::move(ways)),
          niu_(name, from, to, pool, options),
          manager_(niu_, ways_->paths, options.node,
                   {.epoch = options.epoch,
                    .ahead = time.ahead,
                    .timeout = time.timeout,
                    .in_views = time.survive.has_value()}) {
        takes_from(from);
        gives_to(to);
        if (time.survive)
            membership_ = std::make_unique<membership::Manager>(niu_, manager_, ways_->topology,
                                                                membership::Options{.limit = *time.survive});
    }

    unsigned poll(runtime::Time now) override {
        const unsigned moved = niu_.poll(now);
        if (membership_) membership_->poll(now);
        return moved;
    }
    void set_quiet(bool quiet) override {
        niu_.set_quiet(quiet);
        manager_.be_quiet(quiet);
    }
    std::size_t held() const override { return niu_.held(); }
    std::size_t discard() override { return niu_.discard(); }
    void clear_counters() override {
        manager_.clear_counters();
        niu_.clear_counters();
    }
    void describe(nlohmann::json& out) const override {
        manager_.describe(out);
        nlohmann::json niu;
        niu_.describe(niu);
        // All else is about messages, which it neither sends nor receives.
        for (const char* key : {"no_packets", "rejected"})
            if (niu.contains(key)) out[key] = niu[key];
        if (membership_) membership_->agreement().describe(out["membership"]);
    }

    const tm::TokenManager& manager() const noexcept { return manager_; }
    /// Why logical time does not go on here, or nothing.
    std::string trouble() const {
        return membership_ ? membership_->agreement().trouble() : tm::disagreement(manager_, ways_->topology);
    }
    /// nullptr where time does not survive deaths.
    const membership::Agreement* agreement() const noexcept {
        return membership_ ? &membership_->agreement() : nullptr;
    }

  private:
    std::shared_ptr<const Ways> ways_;
    niu::Niu niu_;
    tm::TokenManager manager_;
    std::unique_ptr<membership::Manager> membership_;
};

}  // namespace isoplane::node
