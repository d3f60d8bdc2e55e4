// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/runtime/telemetry.hh>

#include "driver.hh"

namespace isoplane::job {

/// What rte_telemetry tells of a program, for as long as this lives: /isoplane/niu, with Portals
/// /isoplane/portals, and in logical time /isoplane/time and /isoplane/buckets. Only where an lcore makes
/// progress: it can be asked at any time, a program that polls for itself cannot.
class Reports {
  public:
    Reports(Driver& driver, Network& network) : views_(views_of(driver, network)), telemetry_(views_) {}

  private:
    static runtime::Views views_of(Driver& driver, Network& network);

    runtime::Views views_;
    runtime::Telemetry telemetry_;
};

}  // namespace isoplane::job
