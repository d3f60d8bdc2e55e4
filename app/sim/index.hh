// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/findings.hh"
#include "sim/history.hh"

namespace isoplane::sim {

/// A position in Index::isochrons.
using IsochronId = std::uint32_t;

/// What became of one part.
struct PartFate {
    std::uint32_t among = 0;             ///< parts of its isochron for the same destination
    std::uint32_t nth = 0;               ///< its position among those
    const Delivery* delivery = nullptr;  ///< nullptr: it was not delivered
};

struct Isochron {
    const Issue* issue = nullptr;
    std::uint16_t issuer = 0;
    bool net = false;                 ///< has a part for another host than its issuer
    std::span<PartFate> fates;        ///< of its parts, in the same order
    const Delivery* first = nullptr;  ///< the delivered part with the lowest index; nullptr: none is
};

/// A delivery that the rules of order apply to: of a part that was issued to this host, for the first time.
struct Execution {
    IsochronId isochron = 0;
    const Delivery* delivery = nullptr;
};

/// A history with its deliveries matched to what was issued. Points into the history.
class Index {
  public:
    /// Reports deliveries that match nothing, and leaves them out. Throws as check() does.
    Index(const Setting& setting, const History& history, Findings& findings);

    std::size_t hosts() const { return history_.size(); }
    const Isochron& operator[](IsochronId id) const { return isochrons_[id]; }
    /// Isochron 0 of the host; its others follow.
    IsochronId first_of(std::size_t host) const { return first_of_[host]; }
    std::span<const Isochron> isochrons() const { return isochrons_; }
    std::span<const Execution> executions(std::size_t host) const { return executions_[host]; }
    /// Isochrons with parts for this host that it was not delivered; once for each part.
    std::span<const IsochronId> missing(std::size_t host) const { return missing_[host]; }

    /// The host has executed something later than `time`; what comes at `time` cannot come any more.
    bool passed(std::size_t host, const LogicalTime& time) const { return reached_[host] > time; }

    /// Calls `see` with each event of a host in turn, with an Execution in place of each Delivery that
    /// counts.
    template <typename See>
    void replay(std::size_t host, See&& see) const {
        auto next = executions_[host].begin();
        for (const Event& event : history_[host]) {
            if (const auto* delivery = std::get_if<Delivery>(&event)) {
                if (next != executions_[host].end() && next->delivery == delivery) see(*next++);
            } else {
                std::visit(see, event);
            }
        }
    }

  private:
    void add_issues(const Setting& setting);
    void count_parts(const Setting& setting);
    void match_deliveries(std::size_t host, Findings& findings);
    void find_missing();

    const History& history_;
    std::vector<Isochron> isochrons_;
    std::vector<IsochronId> first_of_;  ///< by host, and one more at the end
    std::vector<PartFate> fates_;
    std::vector<std::vector<Execution>> executions_;
    std::vector<std::vector<IsochronId>> missing_;
    std::vector<LogicalTime> reached_;  ///< by host
};

/// "isochron 5 of host 2"
std::string name(const Isochron& isochron);

/// "host 2"
std::string host_name(std::size_t host);

/// "pulse 7 (host 2, rank 3)"
std::string to_string(const LogicalTime& time);

}  // namespace isoplane::sim
