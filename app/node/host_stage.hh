// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/isotach/isotach.hh>
#include <isoplane/membership/host.hh>
#include <isoplane/niu/dispatcher.hh>
#include <isoplane/tm/report.hh>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "ways.hh"

namespace isoplane::node {

/// A host without a program: it keeps logical time with the others, executes what they send it in its place,
/// and issues nothing.
class HostStage final : public runtime::Stage {
  public:
    HostStage(const std::string& name, runtime::Input& from, runtime::Output& to, runtime::Pool& pool,
              std::shared_ptr<const Ways> ways, const niu::Options& options, const TimeOptions& time)
        : Stage(name),
          ways_(std::move(ways)),
          niu_(name, from, to, pool, options),
          dispatcher_(niu_),
          siu_(niu_, ways_->paths, {.exchange = {.ahead = time.ahead, .in_views = time.survive.has_value()}}),
          isotach_(niu_, siu_, pool) {
        takes_from(from);
        gives_to(to);
        isotach_.attach_to(dispatcher_);
        if (time.survive)
            membership_ = std::make_unique<membership::Host>(niu_, siu_, isotach_, ways_->paths,
                                                             tm::ExchangeOptions{.ahead = time.ahead},
                                                             membership::Options{.limit = *time.survive});
    }

    unsigned poll(runtime::Time now) override {
        const unsigned moved = niu_.poll(now) + dispatcher_.dispatch() + isotach_.poll(now);
        if (membership_) membership_->poll(now);
        return moved + execute();
    }
    void set_quiet(bool quiet) override {
        niu_.set_quiet(quiet);
        siu_.be_quiet(quiet);
        if (membership_) membership_->be_quiet(quiet);
    }
    std::size_t held() const override { return niu_.held(); }
    std::size_t discard() override { return isotach_.discard() + niu_.discard(); }
    void clear_counters() override {
        isotach_.clear_counters();
        siu_.clear_counters();
        niu_.clear_counters();
    }
    void describe(nlohmann::json& out) const override {
        isotach_.describe(out["isotach"]);
        niu_.describe(out["niu"]);
        if (membership_) membership_->agreement().describe(out["membership"]);
    }

    void describe_tokens(nlohmann::json& out) const { tm::describe_exchange(siu_, ways_->topology, out); }
    const siu::Siu& siu() const noexcept { return siu_; }
    const isotach::Isotach& isotach() const noexcept { return isotach_; }
    /// Why logical time does not go on here, or nothing.
    std::string trouble() const {
        return membership_ ? membership_->agreement().trouble() : tm::disagreement(siu_, ways_->topology);
    }
    /// nullptr where time does not survive deaths.
    const membership::Agreement* agreement() const noexcept {
        return membership_ ? &membership_->agreement() : nullptr;
    }

  private:
    unsigned execute() noexcept {
        unsigned n = 0;
        for (isotach::Delivery delivery; isotach_.receive(delivery); ++n)
            isotach_.release(delivery);
        return n;
    }

    std::shared_ptr<const Ways> ways_;
    niu::Niu niu_;
    niu::Dispatcher dispatcher_;
    siu::Siu siu_;
    isotach::Isotach isotach_;
    std::unique_ptr<membership::Host> membership_;
};

}  // namespace isoplane::node
