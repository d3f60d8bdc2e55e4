// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/fabric/random.hh>
#include <isoplane/isotach/isotach.hh>
#include <isoplane/niu/dispatcher.hh>
#include <isoplane/runtime/histogram.hh>
#include <isoplane/sim/link.hh>
#include <string>
#include <vector>

#include "scale_setup.hh"

namespace isoplane::perf {

/// Times of messages, in nanoseconds.
struct ScaleTimes {
    runtime::Histogram ordered{};
    runtime::Histogram unordered{};
};

/// A host that sends to others at times it draws, each message with the time at which it went.
class ScaleHost final : public runtime::Stage, private niu::Receiver {
  public:
    ScaleHost(const std::string& name, const sim::Link::End& end, runtime::Pool& pool,
              const niu::Options& options, const siu::SiuOptions& siu, const topology::Paths& paths,
              const ScaleSetup& setup, std::vector<niu::NodeId> partners, ScaleTimes& times);

    unsigned poll(runtime::Time now) override;
    void set_quiet(bool quiet) override;
    std::size_t held() const override { return niu_.held(); }
    std::size_t discard() override { return isotach_.discard() + niu_.discard(); }

    void send_until(runtime::Time end) noexcept { until_ = end; }
    bool ready() const noexcept { return niu_.all_up() && siu_.started(); }
    const siu::Siu& siu() const noexcept { return siu_; }

  private:
    void take(const niu::Received& message) noexcept override;
    bool send_some(runtime::Time now);
    niu::NodeId somebody_else();
    runtime::Time later(runtime::Time than);

    niu::Niu niu_;
    niu::Dispatcher dispatcher_;
    siu::Siu siu_;
    isotach::Isotach isotach_;
    fabric::Random random_;
    std::vector<niu::NodeId> partners_;
    runtime::Duration every_;
    runtime::Time now_{};
    runtime::Time until_{};
    runtime::Time next_[2]{};  ///< an isochron, and a message outside logical time
    ScaleTimes& times_;
};

}  // namespace isoplane::perf
