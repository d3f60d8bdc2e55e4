// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/isotach/isotach.hh>
#include <isoplane/niu/dispatcher.hh>
#include <isoplane/niu/niu.hh>
#include <isoplane/runtime/histogram.hh>
#include <isoplane/siu/siu.hh>

#include "witness.hh"

namespace isoplane::demo {

/// A host in logical time with its program, which issues isochrons as its script says, sends signals and
/// enters a barrier now and then, and has a witness see all that it executes.
class Host final : public runtime::Stage {
  public:
    Host(const std::string& name, runtime::Input& from, runtime::Output& to, runtime::Pool& pool,
         const niu::Options& options, const topology::Paths& paths);

    unsigned poll(runtime::Time now) override;
    void set_quiet(bool quiet) override;
    std::size_t held() const override { return niu_.held(); }
    std::size_t discard() override { return isotach_.discard() + niu_.discard(); }

    // To be called on its lcore.

    /// Time goes on here, and all hosts know that this one is in the barrier.
    bool is_ready();
    void set_issuing(bool issuing) { issuing_ = issuing; }
    /// Nothing is under way here up to that pulse.
    bool rests(siu::Pulse pulse) const;
    /// By the end of this pulse all have executed what it has issued, and know what it has done in the group.
    siu::Pulse known_by() const {
        return std::max(isotach_.last_stamp(), isotach_.acted_at() + siu_.greatest_distance());
    }
    std::uint32_t issued() const { return isotach_.next_isochron(); }
    void leave() { niu_.close(); }
    bool has_left() const { return niu_.closed(); }
    const Witness& witness() const { return witness_; }

    // To be called anywhere.

    const niu::Counters& frames() const { return niu_.counters(); }
    const tm::ExchangeCounters& tokens() const { return siu_.counters(); }
    const isotach::Counters& counters() const { return isotach_.counters(); }
    /// From the issue of a message to its execution, in nanoseconds.
    const runtime::Histogram& latency() const { return latency_; }

  private:
    unsigned execute(runtime::Time now);
    unsigned issue(runtime::Time now);
    bool build(runtime::Time now);
    bool act();

    unsigned hosts_;
    std::uint16_t self_;
    niu::Niu niu_;
    niu::Dispatcher dispatcher_;
    siu::Siu siu_;
    isotach::Isotach isotach_;
    isotach::Isochron isochron_;
    std::uint32_t acted_ = 0;  ///< barriers and signals before this isochron are done
    bool joined_ = false;
    bool issuing_ = false;
    Witness witness_;
    runtime::Histogram latency_;
};

}  // namespace isoplane::demo
