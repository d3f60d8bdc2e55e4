// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <array>
#include <cstdint>
#include <isoplane/wire/frame.hh>
#include <map>
#include <memory>

#include <isoplane/runtime/histogram.hh>
#include <isoplane/runtime/stage.hh>

#include "sequence_check.hh"

namespace isoplane::traffic {

/// Takes probe frames in, checks every byte and every number, and frees them.
class Sink final : public runtime::Stage {
  public:
    /// `expect` says whose frames to accept.
    Sink(std::string name, runtime::Input& from, const wire::Expect& expect);

    unsigned poll(runtime::Time now) override;
    void describe(nlohmann::json& out) const override;
    void clear_counters() override;

    /// Different good frames so far; clear_counters() leaves it, since the end of a run waits for it. From
    /// any thread.
    std::uint64_t good() const noexcept { return good_.get(); }
    /// Frames of any sort that have arrived; clear_counters() leaves it. From any thread.
    std::uint64_t taken() const noexcept { return taken_.get(); }
    /// Frames that should not be: damaged, of another job, or no probes. Not those meant for others, which a
    /// switch floods while it learns. From any thread.
    std::uint64_t refused() const noexcept;
    /// Numbers that no frame has brought, below the highest seen; clear_counters() forgets them. On the
    /// stage's lcore.
    std::uint64_t missing() const noexcept;
    std::uint64_t duplicates() const noexcept { return duplicates_.get(); }
    std::uint64_t late() const noexcept { return late_.get(); }
    const runtime::Histogram& latency() const noexcept { return latency_; }

  private:
    void check(rte_mbuf* m, runtime::Time now);

    runtime::Input& from_;
    wire::Expect expect_;
    /// One a sender. Allocated when the sender is first seen, of which there are few: the only allocation.
    std::map<std::uint16_t, std::unique_ptr<SequenceCheck>> senders_;
    runtime::Counter taken_;
    runtime::Counter good_;
    std::uint64_t cleared_good_ = 0;  ///< of them, those before clear_counters()
    runtime::Counter duplicates_;
    runtime::Counter late_;        ///< good, but after a frame with a higher number
    runtime::Counter not_probes_;  ///< well-formed frames of other kinds
    runtime::Counter mangled_;     ///< the pattern of another number: a CRC failed to see it
    std::array<runtime::Counter, wire::kRejectCount> rejects_;
    runtime::Histogram latency_;  ///< nanoseconds, of frames stamped by a clock of this machine
};

}  // namespace isoplane::traffic
