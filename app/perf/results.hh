// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace isoplane::perf {

/// Nanoseconds; 0 where nothing came back.
struct RoundTrip {
    double median = 0;
    double p99 = 0;
    double p999 = 0;
};

/// What one measurement of a transport yields.
struct Sample {
    RoundTrip round_trip{};
    double messages_per_second = 0;
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
    void add(const std::string& transport, std::size_t size, const Sample& sample);

    const std::vector<std::string>& transports() const noexcept { return transports_; }
    const std::vector<std::size_t>& sizes() const noexcept { return sizes_; }
    bool has(const std::string& transport, std::size_t size) const {
        return samples_.contains({transport, size});
    }

    /// Each figure the median of those of the rounds; zeros for what was not measured.
    Sample median(const std::string& transport, std::size_t size) const;

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

  private:
    template <typename Figure>
    std::optional<double> median_ratio(const std::string& of, const std::string& to, std::size_t size,
                                       Figure&& figure) const;

    std::vector<std::string> transports_;
    std::vector<std::size_t> sizes_;
    std::map<std::pair<std::string, std::size_t>, std::vector<Sample>> samples_;
};

/// A ratio that this run is to reach.
struct Target {
    std::string sentence;  ///< what is to be, as "64-byte round trip at most 1.5 times raw"
    double limit = 0;
    bool at_most = false;
    std::optional<double> value{};  ///< nothing: not measured

    bool missed() const noexcept { return value && (at_most ? *value > limit : *value < limit); }
};

double bytes_per_second(const Results& results, const std::string& transport, std::size_t size);

/// `against_veth`: the sockets are those of two machines in small; those of one are not held against.
std::vector<Target> targets(const Results& results, bool against_veth);

}  // namespace isoplane::perf
