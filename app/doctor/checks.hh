// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include "finding.hh"
#include "system.hh"

namespace isoplane::doctor {

/// Memory to be had, hugepages of each size, where they are mounted, and how much may be locked.
Findings check_memory(const System& system);

/// Capabilities, /dev/net/tun and the directory DPDK keeps its run-time files in.
Findings check_rights(const System& system);

/// Cores this process may use, isolated cores, frequency governor.
Findings check_cores(const System& system);

/// Each PCI network card and who drives it, vfio and the IOMMU.
Findings check_nics(const System& system);

/// For each kind of link specification: whether a link of it would open here.
Findings check_links(const System& system);

/// All of the above, in this order.
Findings check_all(const System& system);

}  // namespace isoplane::doctor
