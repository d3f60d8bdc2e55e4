// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/runtime/counter.hh>
#include <isoplane/runtime/fifo.hh>
#include <isoplane/wire/isotach.hh>
#include <optional>
#include <string>
#include <vector>

#include <isoplane/isotach/logical_time.hh>

namespace isoplane::isotach {

/// Paranoid mode: holds everything that a host sends and executes in logical time against what was promised,
/// message by message, from records of its own. It changes nothing; it counts what is wrong, and keeps the
/// first in words.
class Paranoid {
  public:
    using Pulse = std::uint64_t;
    using Host = std::uint16_t;

    Paranoid(Host here, std::size_t hosts);

    // What this host issues.

    /// An isochron to hosts at most so far away is stamped with a pulse, at this clock.
    void stamped(std::uint32_t isochron, Pulse clock, Pulse distance, Pulse stamp);
    /// A message to this host itself is to be executed then.
    void kept(std::uint32_t isochron, Pulse stamp, std::uint32_t rank);
    /// An own isochron to others is executed here, in `pulse`.
    void completed(std::uint32_t isochron, Pulse pulse);

    // What it executes.

    /// A message has come from another host; pulses up to `executed` are over. `clock` is that of its sender
    /// when it was issued, if that says so, and `distance` that from its sender to here.
    void arrived(const wire::IsotachHeader& header, std::optional<Pulse> clock, Pulse distance,
                 Pulse executed);
    /// A message is executed in `pulse`, tokens having come up to `ended`.
    void executed(const LogicalTime& time, Pulse pulse, Pulse ended);
    /// A message that has come will not be executed here, nor any before it of that host.
    void passed_over(const LogicalTime& time);
    /// A host has left: of what it has sent, only that up to `cut` is executed. Its next message is its
    /// first.
    void cut_off(Host host, Pulse cut);
    /// Whatever the program is given, in this order.
    void given(const LogicalTime& time);

    std::uint64_t violations() const noexcept { return violations_.get(); }
    /// The first of them, in a sentence; empty when there is none.
    const std::string& first() const noexcept { return first_; }

  private:
    /// What is to be executed next of what one host has sent here.
    struct Expected {
        std::uint32_t number = 0;  ///< of its messages to this host; of this host's own, the isochron
        std::uint32_t rank = 0;
        Pulse stamp = 0;
    };
    struct Stamped {
        std::uint32_t isochron = 0;
        Pulse stamp = 0;
    };

    std::string name(Host host, std::uint32_t number) const;
    template <typename Text>
    void violated(Text&& text);

    Host here_;
    std::vector<runtime::Fifo<Expected>> expected_;  ///< by host
    std::vector<std::uint32_t> arrived_;             ///< by host: the last number
    runtime::Fifo<Stamped> outstanding_;
    Pulse last_stamp_ = 0;
    std::optional<LogicalTime> last_;
    runtime::Counter violations_;
    std::string first_;
};

}  // namespace isoplane::isotach
