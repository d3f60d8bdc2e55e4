// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/runtime/edge.hh>

namespace isoplane::test {

/// Frees what has come for a host that is dead. Returns how much.
inline unsigned vanish(runtime::Input& in) {
    runtime::Burst burst;
    const std::uint16_t n = in.receive(burst);
    rte_pktmbuf_free_bulk(burst.data(), n);
    return n;
}

}  // namespace isoplane::test
