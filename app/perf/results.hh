// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstddef>
#include <isoplane/runtime/histogram.hh>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../report/figures.hh"
#include "../report/plot.hh"
#include "../report/target.hh"

namespace isoplane::perf {

/// Round trips of a measurement.
struct Times {
    std::shared_ptr<const runtime::Histogram> ticks{};
    double ns_per_tick = 0;

    /// Nanoseconds below which `fraction` of all lie; 0 where nothing came back.
    double at(double fraction) const {
        return ticks ? static_cast<double>(ticks->quantile(fraction)) * ns_per_tick : 0;
    }
};

/// What the two ends of a stream waited for, as parts of 1 of their time.
struct Flow {
    double full = 0;      ///< the sender's in which there was room for nothing, and nothing moved
    double windowed = 0;  ///< the sender's in which as many were under way as may be
    double empty = 0;     ///< the receiver's in which nothing came
};

/// What one measurement of a transport yields.
struct Sample {
    Times round_trip{};
    double messages_per_second = 0;
    Flow flow{};
};

/// The transports of a comparison, in the order in which they take turns.
namespace transport {
inline const std::string kIo = "io";
inline const std::string kRaw = "raw";
inline const std::string kNiu = "niu";
inline const std::string kNiuCoalesced = "niu_coalesced";
inline const std::string kPortals = "portals";
inline const std::string kRequest = "request";
inline const std::string kTransfer = "xfer";
inline const std::string kDatagram = "datagram";
inline const std::string kReliable = "reliable";
inline const std::string kCopied = "copied";
inline const std::string kCopyFree = "copy_free";
inline const std::string kUdp = "udp";
inline const std::string kTcp = "tcp";
}  // namespace transport

/// All samples of a run. What is read from it are medians over the rounds.
class Results {
  public:
    /// In this order they stand in tables, whatever sizes they have messages of.
    void enter(const std::string& transport);
    void add(const std::string& transport, std::size_t size, const Sample& sample);

    const std::vector<std::string>& transports() const noexcept { return transports_; }
    const std::vector<std::size_t>& sizes() const noexcept { return sizes_; }
    bool has(const std::string& transport, std::size_t size) const {
        return samples_.contains({transport, size});
    }

    // Each the median of those of the rounds; 0 for what was not measured.

    /// Nanoseconds below which a part of the round trips lies.
    double round_trip(const std::string& transport, std::size_t size, double fraction = 0.5) const;
    /// Messages a second.
    double rate(const std::string& transport, std::size_t size) const;
    Flow flow(const std::string& transport, std::size_t size) const;

    // Ratios are medians of those of the rounds, in each of which two transports were measured at nearly the
    // same time: a machine that is faster in some rounds than in others does not change them.

    /// How much of the other's rate, of messages or bytes, a transport has. Nothing when one of the two was
    /// not measured.
    std::optional<double> rate_ratio(const std::string& of, const std::string& to, std::size_t size) const;
    /// How many of the other's median round trips one of a transport takes.
    std::optional<double> round_trip_ratio(const std::string& of, const std::string& to,
                                           std::size_t size) const;

    /// The size of messages that reach half of the most bytes a second that any size does, between two that
    /// were measured on a straight line; nothing when none reaches anything.
    std::optional<double> half_power_point(const std::string& transport) const;

    /// All of it as figures of `what`, with the ratios of those of `subjects` to all others.
    void add_to(report::Figures& figures, const std::string& what,
                const std::vector<std::string>& subjects) const;

  private:
    template <typename Figure>
    double median_of(const std::string& transport, std::size_t size, Figure&& figure) const;
    template <typename Figure>
    std::optional<double> median_ratio(const std::string& of, const std::string& to, std::size_t size,
                                       Figure&& figure) const;

    std::vector<std::string> transports_;
    std::vector<std::size_t> sizes_;
    std::map<std::pair<std::string, std::size_t>, std::vector<Sample>> samples_;
};

using report::Target;

/// What a transport is in a comparison.
report::Role role_of(const std::string& transport);

double bytes_per_second(const Results& results, const std::string& transport, std::size_t size);

}  // namespace isoplane::perf
