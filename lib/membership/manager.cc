// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/membership/manager.hh>

namespace isoplane::membership {

/// It executes nothing: what hosts hold is what counts.
isotach::Standing Manager::freeze() noexcept {
    manager_.freeze();
    return {.held = UINT64_MAX};
}

void Manager::begin(const wire::View& view) {
    manager_.begin_view(view.number, view.base, [&](NodeId node) { return find(view, node) != nullptr; });
}

void Manager::add_silent(std::vector<NodeId>& nodes) const {
    manager_.silent(agreement_.options().limit, [&nodes](NodeId node) { nodes.push_back(node); });
}

}  // namespace isoplane::membership
