// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "port_link.hh"
#include "sockets.hh"
#include "vhost_events.hh"

namespace isoplane::link {

namespace {

/// When the vhost side went first, every message that the virtio side cannot deliver to it is reported.
const std::vector<std::string> kVirtioLogs{"pmd.net.virtio.driver", "pmd.net.virtio.init"};

std::unique_ptr<Link> open_virtio(const LinkSpec& spec, const std::string& name, const LinkOptions& options) {
    const Mac mac = mac_option(spec);
    const unsigned packed = spec.number("packed", 0, 0, 1);
    const unsigned wait = spec.number("wait", options.wait_seconds, 0, 3600);
    const SocketSide side = SocketSide::take(spec, {"side", "vhost", "virtio"});
    if (side.serves()) {
        auto link = std::make_unique<PortLink>(
            spec, name, options,
            Device::plug(spec, "net_vhost", "queues=1,iface=" + spec.target, side.lock()),
            PortTraits{.mac = mac});
        watch_socket(spec.target);
        return link;
    }
    await_server(spec, std::chrono::seconds(wait));
    const std::string arguments = "queues=1,path=" + spec.target +
                                  ",queue_size=" + std::to_string(options.rx_descriptors) +
                                  ",packed_vq=" + std::to_string(packed) + ",mac=" + to_text(mac);
    return std::make_unique<PortLink>(spec, name, options,
                                      Device::plug(spec, "net_virtio_user", arguments, side.lock()),
                                      PortTraits{.logs = kVirtioLogs});
}

}  // namespace

Driver virtio_driver() {
    return {.kind = {.name = "virtio",
                     .summary = "joins two processes through a vhost-user socket",
                     .target = "SOCKET",
                     .options = {{"side", "vhost|virtio",
                                  "vhost serves the socket; by default whoever comes first"},
                                 {"packed", "0|1", "packed rings, chosen by the virtio side; 0 by default"},
                                 {"wait", "SECONDS",
                                  "how long the virtio side waits for the socket; 10 by default"},
                                 kMacOption},
                     .root = false,
                     .multi_segment = true,
                     .max_mtu = 9698,
                     .queues = 1,
                     .zero_copy = false,
                     .rate = "18 M/s",
                     .needs = "a directory to write to"},
            .open = open_virtio};
}

}  // namespace isoplane::link
