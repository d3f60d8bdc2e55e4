// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <string>
#include <vector>

#include "system.hh"

namespace isoplane::doctor {

/// A network card on the PCI bus.
struct Nic {
    std::string address;    ///< such as 0000:00:03.0
    std::string driver;     ///< the kernel module that has it; empty when none
    std::string interface;  ///< the kernel's name for it; empty when the kernel does not use it
    bool routed = false;    ///< it carries a route: taking it away may cut this machine off

    /// Given to a driver through which DPDK reaches it, or one that DPDK shares with the kernel.
    bool ready() const;
};

std::vector<Nic> find_nics(const System& system);

/// Whether vfio-pci is loaded, built in, or there to be loaded.
bool has_vfio(const System& system);

bool has_iommu(const System& system);

}  // namespace isoplane::doctor
