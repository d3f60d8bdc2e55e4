// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/wire/view.hh>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/history.hh"

namespace isoplane::sim {

/// All views that any member has been in: which of them were in which, and that there is one history.
class Views {
  public:
    /// The node is in that one. Asked often, and looked at when it is another than before.
    void see(std::uint16_t node, const wire::View& view) {
        if (seen_.size() <= node) seen_.resize(node + std::size_t{1});
        if (std::exchange(seen_[node], view.number) != view.number) add(view);
    }

    /// A sentence when two members were in different views of one number; empty while all is well.
    const std::string& complaint() const { return complaint_; }
    /// The view in which that life of the node came, and the one in which it was not any more; nullptr for
    /// none. One that never learned that it was in may come again: then it is the last time that counts.
    const wire::View* with(std::uint16_t node, std::uint32_t epoch) const;
    const wire::View* without(std::uint16_t node, std::uint32_t epoch) const;
    /// At the end of which pulse all are told of who left or joined with that view: of its base, or of that
    /// of a later one whose cut came before it.
    Pulse told_at(std::uint32_t number) const;
    std::size_t changes() const { return views_.empty() ? 0 : views_.size() - 1; }
    /// How often a host came in the place of a token manager on its own.
    std::size_t failovers() const;
    const wire::View* latest() const { return views_.empty() ? nullptr : &views_.rbegin()->second; }

  private:
    void add(const wire::View& view);

    std::map<std::uint32_t, wire::View> views_;
    std::vector<std::uint32_t> seen_;  ///< by node: the number of its view
    std::string complaint_;
};

/// The last pulse of which a host has received anything.
Pulse last_executed(const std::vector<Event>& events);

/// From one start of a host to its end, or the end of all.
struct Life {
    std::uint16_t host = 0;
    std::uint32_t epoch = 0;
    std::vector<Event> events{};
    bool lost = false;  ///< it has died, or the others have gone on without it
    Pulse joined = 0;   ///< at the end of which pulse, if it joined a running time
};

/// Makes of lives, of each host in their order, a history as of so many hosts: takes out what never was, as
/// those who issued it or were to receive it have left, or were not there yet. Returns what is wrong with
/// what the lost have executed, and with what all were told of each other, in a sentence; empty when nothing
/// is. `cut_short`: they did not come to rest.
std::string settle_lives(std::vector<Life>& lives, const Views& views, std::uint32_t greatest_distance,
                         bool cut_short);

}  // namespace isoplane::sim
