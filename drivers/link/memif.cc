// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <rte_common.h>
#include <rte_ether.h>

#include <algorithm>

#include "port_link.hh"
#include "sockets.hh"

namespace isoplane::link {

namespace {

std::unique_ptr<Link> open_memif(const LinkSpec& spec, const std::string& name, const LinkOptions& options) {
    const Mac mac = mac_option(spec);
    const unsigned id = spec.number("id", 0, 0, 65535);
    const unsigned wait = spec.number("wait", options.wait_seconds, 0, 3600);
    const SocketSide side = SocketSide::take(spec, {"role", "server", "client"}, ".id" + std::to_string(id));
    if (!side.serves()) await_server(spec, std::chrono::seconds(wait));
    // A frame lies in one buffer: where one takes several and the ring is full in the middle of it, the
    // driver leaves the beginning behind in the ring and sends all of it again.
    const unsigned buffer = std::clamp(options.mtu + RTE_ETHER_HDR_LEN + RTE_VLAN_HLEN, 2048U, 65535U);
    const unsigned slots = std::clamp(rte_log2_u32(options.rx_descriptors), 1U, 14U);
    const std::string arguments = "role=" + std::string(side.serves() ? "server" : "client") +
                                  ",socket-abstract=no,socket=" + spec.target + ",id=" + std::to_string(id) +
                                  ",rsize=" + std::to_string(slots) + ",bsize=" + std::to_string(buffer) +
                                  ",mac=" + to_text(mac);
    const auto apart = std::make_shared<BetweenBursts>();
    std::unique_ptr<Link> link;
    // The driver listens from the beginning, but turns away for good who is accepted before the port has
    // started. That thread accepts, and does nothing else meanwhile.
    on_interrupt_thread([&] {
        link = std::make_unique<PortLink>(
            spec, name, options, Device::plug(spec, "net_memif", arguments, side.lock()),
            PortTraits{.limits = {.longest = buffer}, .apart = apart, .bytes = ByteCount::kEdge});
        if (side.serves()) link->start();
    });
    return link;
}

}  // namespace

Driver memif_driver() {
    return {
        .kind = {.name = "memif",
                 .summary = "joins two processes through a memif socket",
                 .target = "SOCKET",
                 .options = {{"role", "server|client",
                              "server serves the socket; by default whoever comes first"},
                             {"id", "NUMBER", "of the interface, the same at both ends; 0 by default"},
                             {"wait", "SECONDS", "how long the client waits for the socket; 10 by default"},
                             kMacOption},
                 .root = false,
                 .multi_segment = true,
                 .max_mtu = kAnyMtu,
                 .queues = 1,
                 .zero_copy = false,
                 .rate = "25 M/s",
                 .needs = "a directory to write to"},
        .open = open_memif};
}

}  // namespace isoplane::link
