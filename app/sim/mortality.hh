// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/wire/view.hh>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/history.hh"

namespace isoplane::sim {

/// All views that any member has been in: which of them were in which, and that there is one history.
class Views {
  public:
    void see(const wire::View& view);

    /// A sentence when two members were in different views of one number; empty while all is well.
    const std::string& complaint() const { return complaint_; }
    /// The view in which that node was not any more, having been in the one before; nullptr for none.
    const wire::View* without(std::uint16_t node) const;
    std::size_t changes() const { return views_.empty() ? 0 : views_.size() - 1; }
    const wire::View* latest() const { return views_.empty() ? nullptr : &views_.rbegin()->second; }

  private:
    std::map<std::uint32_t, wire::View> views_;
    std::string complaint_;
};

/// The last pulse of which a host has received anything.
Pulse last_executed(const std::vector<Event>& events);

/// Takes out of a history what never was, as those who issued it or were to receive it have left: what they
/// had stamped after the cut, and what was for them. Returns what is wrong with what they have executed, in a
/// sentence; empty when nothing is.
std::string forget_the_lost(History& history, const Views& views, std::uint32_t greatest_distance);

}  // namespace isoplane::sim
