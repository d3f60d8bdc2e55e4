// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <isoplane/topology/paths.hh>

namespace isoplane::topology {

/// A run of pages and the hosts that hold a copy of each.
struct Copyset {
    std::uint32_t first = 0;
    std::uint32_t last = 0;     ///< included
    std::vector<NodeId> nodes;  ///< ascending
    bool operator==(const Copyset&) const = default;
};

/// Who holds a copy of which page: runs of pages in ascending order, none in two of them.
class ShmemMap {
  public:
    ShmemMap() = default;
    std::span<const Copyset> runs() const { return runs_; }

    /// The hosts that hold a copy of a page, ascending; none when the map does not mention it.
    std::span<const NodeId> copyset(std::uint32_t page) const;

    /// The holder that is the fewest token hops away from a host, itself if it holds a copy, and of several
    /// the one with the lowest id; no value when the map does not mention the page. Every host of the map
    /// must be in the topology (std::out_of_range).
    std::optional<NodeId> nearest_copy(std::uint32_t page, NodeId host, const Paths& paths) const;

    bool operator==(const ShmemMap&) const = default;

  private:
    friend class ShmemMapReader;
    std::vector<Copyset> runs_;
};

/// What the pages and nodes of a map are checked against.
struct ShmemMapRules {
    std::uint32_t pages = kDefaultPages;  ///< pages 0 .. pages-1 exist
    const Topology* topology = nullptr;   ///< only its hosts may be named, by node id or name; if any
};

// shmem_map has one entry on a line,
//
//     PAGE: NODE, NODE ...;
//     PAGE-PAGE: NODE, NODE ...;
//
// with blanks anywhere between, and '#' for comments. A node is a node id, or the name of a host when the
// topology is known.

/// Reads one. `file` stands in errors. Throws Error, with the place, for anything else, a page in two
/// entries, and a node twice in one.
ShmemMap parse_shmem_map(std::string_view text, std::string_view file = "shmem_map",
                         const ShmemMapRules& rules = {});

/// As parse_shmem_map, from a file.
ShmemMap load_shmem_map(const std::string& path, const ShmemMapRules& rules = {});

/// The text from which parse_shmem_map makes an equal map.
std::string write_shmem_map(const ShmemMap& map);

}  // namespace isoplane::topology
