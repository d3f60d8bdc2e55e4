// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "roster.hh"

#include <algorithm>
#include <cstdio>

namespace isoplane::job {

Roster::Roster(const niu::Niu& niu) : niu_(niu), known_(niu.options().nodes.size()) {
    for (std::size_t i = 0; i < known_.size(); ++i) {
        if (i != niu.options().node && !niu.options().nodes[i].empty())
            others_.push_back(static_cast<niu::NodeId>(i));
    }
}

void Roster::begin() {
    for (const niu::NodeId node : others_)
        known_[node] = {true, niu_.peer(node).epoch};
}

std::string Roster::trouble() const {
    if (is_alone())
        return "nothing has been heard of any other node for " + silence() +
               ": this one was stopped or cut off for so long that they have given it up, unless they are "
               "all dead";
    for (const niu::NodeId node : others_) {
        if (known_[node].epoch != 0 && is_lost(node)) return loss_of(node);
    }
    return {};
}

std::string Roster::news() {
    for (const niu::NodeId node : others_) {
        Known& known = known_[node];
        if (known.up && is_lost(node)) {
            known.up = false;
            return loss_of(node);
        }
        if (!known.up && known.epoch != 0 && niu_.state(node) == niu::PeerState::kUp) {
            known = {true, niu_.peer(node).epoch};
            return name(node) + " is back, and knows nothing of what was before";
        }
    }
    return {};
}

/// In the life in which we know it.
bool Roster::is_lost(niu::NodeId node) const {
    return niu_.state(node) != niu::PeerState::kUp || niu_.peer(node).epoch != known_[node].epoch;
}

/// When all are silent at once, it is rather this node that has a fault.
bool Roster::is_alone() const {
    return others_.size() > 1 && std::all_of(others_.begin(), others_.end(), [this](niu::NodeId node) {
               return niu_.state(node) == niu::PeerState::kDead;
           });
}

std::string Roster::name(niu::NodeId node) const {
    return niu_.options().nodes[node] + " (node " + std::to_string(node) + ")";
}

std::string Roster::silence() const {
    char text[32];
    std::snprintf(text, sizeof text, "%g s", std::chrono::duration<double>(niu_.options().silence).count());
    return text;
}

std::string Roster::loss_of(niu::NodeId node) const {
    if (niu_.state(node) == niu::PeerState::kDead)
        return name(node) + " is dead: nothing has been heard of it for " + silence();
    return name(node) + " has ended, or started again; what was on its way to it is lost";
}

}  // namespace isoplane::job
