// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <linux/capability.h>

#include <algorithm>

#include "interface.hh"
#include "port_link.hh"

namespace isoplane::link {

namespace {

/// A frame lies in a chunk of at most one page, with the mbuf's own fields and two headrooms, ours and the
/// kernel's (XDP_PACKET_HEADROOM).
constexpr unsigned kKernelHeadroom = 256;
constexpr unsigned kAfXdpMtu = 3500;

/// The driver keeps what is in its fill and completion rings when it closes; so those rings get packets of
/// their own, which go with the link; in turn, as with packets that go out again at once it comes to a stop.
std::shared_ptr<runtime::Pool> own_pool(const LinkOptions& options) {
    constexpr unsigned kPackets = 8191;  // three rings of 2048, and what is being copied
    const unsigned room =
        RTE_PKTMBUF_HEADROOM + kKernelHeadroom + options.mtu + RTE_ETHER_HDR_LEN + RTE_VLAN_HLEN;
    return std::make_shared<runtime::Pool>(
        Device::unused_name("afxdp"), kPackets,
        std::max(runtime::Pool::kDefaultRoom, static_cast<std::uint16_t>(RTE_ALIGN_CEIL(room, 64U))),
        runtime::Pool::kDefaultCache, runtime::Pool::Place::kPrivateInTurn);
}

std::unique_ptr<Link> open_afxdp(const LinkSpec& spec, const std::string& name, const LinkOptions& options) {
    demand_interface(spec, options.mtu);
    demand_capability(spec, CAP_NET_RAW, "cap_net_raw");
    demand_capability(spec, CAP_NET_ADMIN, "cap_net_admin");
    const unsigned frame = options.mtu + RTE_ETHER_HDR_LEN;
    const auto pool = own_pool(options);
    return std::make_unique<PortLink>(
        spec, name, options,
        Device::plug(spec, "net_af_xdp", "iface=" + spec.target + ",start_queue=0,queue_count=1", pool),
        PortTraits{
            .limits = {.multi_segment = false, .longest = frame}, .netdev = spec.target, .own_pool = pool});
}

}  // namespace

Driver afxdp_driver() {
    return {.kind = {.name = "afxdp",
                     .summary = "a network interface of the kernel, through an XDP socket on its queue 0",
                     .target = "INTERFACE",
                     .options = {},
                     .root = true,
                     .multi_segment = false,
                     .max_mtu = kAfXdpMtu,
                     .queues = 1,
                     .zero_copy = false,
                     .rate = "1 M/s",
                     .needs = "CAP_NET_RAW, CAP_NET_ADMIN and CAP_BPF; the interface up, with one queue"},
            .open = open_afxdp};
}

}  // namespace isoplane::link
