// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <rte_eal.h>
#include <rte_ethdev.h>

#include <isoplane/runtime/pool.hh>
#include <stdexcept>

#include "port_link.hh"

namespace isoplane::link {

namespace {

std::unique_ptr<Link> open_pci(const LinkSpec& spec, const std::string& name, const LinkOptions& options) {
    std::uint16_t port = 0;
    if (rte_eth_dev_get_port_by_name(spec.target.c_str(), &port) != 0) {
        // Without an IOMMU a NIC has to be told where memory is, which is known of huge pages only.
        const bool untold = rte_eal_has_hugepages() == 0;
        throw std::runtime_error(
            "'" + spec.text + "': DPDK has no port for the NIC " + spec.target +
            "; write its address in full (lspci -D lists them), bind it to a driver that " +
            "DPDK can use (modprobe vfio-pci && dpdk-devbind.py -b vfio-pci " + spec.target +
            ") and start again" +
            (untold ? "; if it is bound already, by another driver than vfio-pci, it needs huge pages "
                      "(echo 1024 > /proc/sys/vm/nr_hugepages)"
                    : ""));
    }
    rte_eth_dev_info info{};
    rte_eth_dev_info_get(port, &info);
    const bool multi_segment = (info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_MULTI_SEGS) != 0;
    return std::make_unique<PortLink>(spec, name, options, Device(port, {}),
                                      PortTraits{.limits = {.multi_segment = multi_segment}});
}

}  // namespace

Driver pci_driver() {
    return {.kind = {.name = "pci",
                     .summary = "a NIC, taken from the kernel",
                     .target = "ADDRESS",
                     .options = {},
                     .root = true,
                     .multi_segment = true,
                     .max_mtu = kAnyMtu,
                     .queues = 1,
                     .zero_copy = true,
                     .rate = "the NIC's",
                     .needs = "a NIC bound to vfio-pci or another driver that DPDK can use"},
            .open = open_pci};
}

std::vector<std::string> pci_devices(const std::vector<LinkSpec>& specs) {
    std::vector<std::string> devices;
    for (const LinkSpec& spec : specs) {
        if (spec.kind == "pci") devices.push_back(spec.target);
    }
    return devices;
}

}  // namespace isoplane::link
