// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <vector>

#include <isoplane/niu/names.hh>

namespace isoplane::niu {

/// Something that a protocol keeps for each node it can talk to: for those with a name. In a network of
/// thousands a host may know a few, and all others share one that stands for nobody.
template <typename T>
class ByPeer {
  public:
    explicit ByPeer(Names names)
        : names_(std::move(names)), places_(names_.places()), entries_(names_.named() + 1) {}

    T& operator[](NodeId node) noexcept { return entries_[places_[node]]; }
    const T& operator[](NodeId node) const noexcept { return entries_[places_[node]]; }
    /// Whether it has one of its own.
    bool has(NodeId node) const noexcept { return node < names_.size() && places_[node] != 0; }

    // Nobody's first.

    auto begin() noexcept { return entries_.begin(); }
    auto end() noexcept { return entries_.end(); }
    auto begin() const noexcept { return entries_.begin(); }
    auto end() const noexcept { return entries_.end(); }

  private:
    Names names_;
    const NodeId* places_;
    std::vector<T> entries_;
};

}  // namespace isoplane::niu
