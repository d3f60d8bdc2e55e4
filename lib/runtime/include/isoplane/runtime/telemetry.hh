// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/runtime/views.hh>

namespace isoplane::runtime {

/// Serves every view as the rte_telemetry command /isoplane/NAME for as long as it lives; dpdk-telemetry.py
/// then shows them. One a process, because rte_telemetry hands its callbacks nothing that could tell two
/// apart.
class Telemetry {
  public:
    explicit Telemetry(const Views& views);
    ~Telemetry();
    Telemetry(const Telemetry&) = delete;
    Telemetry& operator=(const Telemetry&) = delete;
};

}  // namespace isoplane::runtime
