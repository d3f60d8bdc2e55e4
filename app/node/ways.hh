// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/topology/paths.hh>
#include <utility>

namespace isoplane::node {

/// A topology and the ways through it, for all stages of a node that keep logical time.
struct Ways {
    explicit Ways(topology::Topology network) : topology(std::move(network)), paths(topology) {}
    Ways(const Ways&) = delete;
    Ways& operator=(const Ways&) = delete;

    topology::Topology topology;
    topology::Paths paths;
};

}  // namespace isoplane::node
