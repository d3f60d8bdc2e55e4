// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <vector>

#include <isoplane/niu/names.hh>

namespace isoplane::niu {

/// Something that a protocol keeps for each node it can talk to: for those with a name. In a network of
/// thousands a host may know a few, and all others share one that stands for nobody. Found by a pointer, as
/// each message that comes is looked up here.
template <typename T>
class ByPeer {
  public:
    explicit ByPeer(const Names& names) : entries_(names.named() + 1) {
        by_node_.reserve(names.size());
        for (std::size_t node = 0; node < names.size(); ++node)
            by_node_.push_back(&entries_[names.places()[node]]);
    }
    ByPeer(const ByPeer&) = delete;
    ByPeer& operator=(const ByPeer&) = delete;

    T& operator[](NodeId node) noexcept { return *by_node_[node]; }
    const T& operator[](NodeId node) const noexcept { return *by_node_[node]; }
    /// Whether it has one of its own.
    bool has(NodeId node) const noexcept {
        return node < by_node_.size() && by_node_[node] != entries_.data();
    }

    // Nobody's first.

    auto begin() noexcept { return entries_.begin(); }
    auto end() noexcept { return entries_.end(); }
    auto begin() const noexcept { return entries_.begin(); }
    auto end() const noexcept { return entries_.end(); }

  private:
    std::vector<T> entries_;
    std::vector<T*> by_node_;
};

}  // namespace isoplane::niu
