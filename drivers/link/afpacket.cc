// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <linux/capability.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>

#include "interface.hh"
#include "port_link.hh"

namespace isoplane::link {

namespace {

/// Bytes of a slot that the kernel (TPACKET_V2) keeps in front of a frame, and room for a VLAN tag.
constexpr unsigned kSlotOverhead = 66 + RTE_VLAN_HLEN;

/// The kernel drops what comes while nobody reads and does not say so. At a million packets a second this
/// holds what comes while a scheduler keeps the reader waiting.
constexpr unsigned kRingBytes = 32 << 20;

std::unique_ptr<Link> open_afpacket(const LinkSpec& spec, const std::string& name,
                                    const LinkOptions& options) {
    demand_interface(spec, options.mtu);
    demand_capability(spec, CAP_NET_RAW, "cap_net_raw");
    // The kernel cuts frames that do not fit into a slot, and the driver wants a slot to fit into an mbuf. It
    // also takes the slots to follow each other without gaps, so they have to fill their blocks, which are
    // pages.
    const unsigned frame = interface_mtu(spec.target) + RTE_ETHER_HDR_LEN;
    const auto page = static_cast<unsigned>(getpagesize());
    const unsigned needed = frame + kSlotOverhead;
    const unsigned slot = needed <= 2048 ? 2048 : RTE_ALIGN_CEIL(needed, page);
    const unsigned room = rte_pktmbuf_data_room_size(options.pool->raw()) - RTE_PKTMBUF_HEADROOM;
    if (room < slot - 32) {
        throw std::runtime_error("'" + spec.text + "': frames of the interface take " + std::to_string(slot) +
                                 " bytes, the packets of the pool hold " + std::to_string(room) +
                                 "; lower the interface's MTU (ip link set dev " + spec.target +
                                 " mtu 1500) or make the packets larger");
    }
    const unsigned block = std::max(page, slot);
    const unsigned slots = RTE_ALIGN_CEIL(std::max(options.rx_descriptors, kRingBytes / slot), block / slot);
    const std::string arguments = "iface=" + spec.target + ",qpairs=1,blocksz=" + std::to_string(block) +
                                  ",framesz=" + std::to_string(slot) + ",framecnt=" + std::to_string(slots);
    return std::make_unique<PortLink>(spec, name, options, Device::plug(spec, "net_af_packet", arguments),
                                      PortTraits{.limits = {.longest = frame}, .netdev = spec.target});
}

}  // namespace

Driver afpacket_driver() {
    return {.kind = {.name = "afpacket",
                     .summary = "a network interface of the kernel, through a packet socket",
                     .target = "INTERFACE",
                     .options = {},
                     .root = true,
                     .multi_segment = true,
                     .max_mtu = kAnyMtu,
                     .queues = 1,
                     .zero_copy = false,
                     .rate = "0.8 M/s",
                     .needs = "CAP_NET_RAW; the interface up, with the MTU asked for"},
            .open = open_afpacket};
}

}  // namespace isoplane::link
