// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <array>
#include <cstdint>
#include <isoplane/wire/frame.hh>

#include <isoplane/runtime/backlog.hh>
#include <isoplane/runtime/pool.hh>
#include <isoplane/runtime/stage.hh>

#include "rate.hh"
#include "sink.hh"

namespace isoplane::traffic {

struct GenerateOptions {
    std::uint16_t size = 64;  ///< of a frame, from the Ethernet header on, without FCS
    std::uint64_t count = 0;  ///< frames to send; 0 without end
    Rate rate;                ///< the most to send; none by default
    std::uint32_t job_key = 0;
    std::uint16_t source = 0;  ///< node ids
    std::uint16_t destination = 1;
    wire::MacAddress source_mac{};
    wire::MacAddress destination_mac{};
};

/// The smallest frame that carries a number.
inline constexpr std::uint16_t kMinFrame = wire::kEthernetSize + wire::kHeaderSize;

/// Makes numbered probe frames whose every byte a Sink can check. Frames of 86 bytes and more also carry a
/// time stamp. Nothing is lost inside: what the output does not take is offered again, with the same numbers.
class Generate final : public runtime::Stage {
  public:
    Generate(std::string name, runtime::Output& to, runtime::Pool& pool, const GenerateOptions& options);

    unsigned poll(runtime::Time now) override;
    void set_quiet(bool quiet) override { quiet_ = quiet; }
    std::size_t held() const override { return to_.size(); }
    std::size_t discard() override;
    void describe(nlohmann::json& out) const override;
    void clear_counters() override;

    /// From here on at most `window` frames are on their way to `sink`, which gets back what this stage
    /// sends: then no queue between them overflows that holds as many, however the machine schedules the two.
    /// A frame lost narrows the window for good. Before the first start.
    void keep_under_way(std::uint32_t window, const Sink& sink);

    /// On the stage's lcore.
    void set_rate(const Rate& rate);

    /// Whether all frames asked for have left. From any thread.
    bool finished() const noexcept { return options_.count != 0 && sent_.get() == options_.count; }
    /// Frames that have left; clear_counters() leaves it, since the end of a run waits for it. From any
    /// thread.
    std::uint64_t sent() const noexcept { return sent_.get(); }

  private:
    std::uint16_t due(runtime::Time now);
    std::uint64_t room_in_window() const noexcept;
    void fill(rte_mbuf* m, runtime::Time now);

    runtime::Backlog to_;
    runtime::Pool& pool_;
    GenerateOptions options_;
    Pacer pacer_;
    std::uint32_t window_ = 0;
    const Sink* returned_to_ = nullptr;
    bool quiet_ = false;
    std::uint64_t made_ = 0;
    runtime::Counter sent_;           ///< left through the output
    std::uint64_t cleared_sent_ = 0;  ///< of them, those before clear_counters()
    runtime::Counter no_packets_;     ///< bursts put off because the pool was empty
};

}  // namespace isoplane::traffic
