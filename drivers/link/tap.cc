// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <linux/capability.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "interface.hh"
#include "port_link.hh"

namespace isoplane::link {

namespace {

/// The driver complains that a kernel without the multiq scheduler cannot have flow rules, and that there are
/// no secondary processes to tell of its start; neither is wanted.
const std::vector<std::string> kTapLogs{"pmd.net.tap"};

/// The driver states this limit, so no other can be set, and refuses longer frames for ever.
constexpr unsigned kTapMtu = 1500;

std::unique_ptr<Link> open_tap(const LinkSpec& spec, const std::string& name, const LinkOptions& options) {
    check_interface_name(spec);
    if (access("/dev/net/tun", F_OK) != 0) {
        throw std::runtime_error("'" + spec.text +
                                 "': there is no /dev/net/tun; load the kernel's module (modprobe tun)");
    }
    demand_capability(spec, CAP_NET_ADMIN, "cap_net_admin");
    if (interface_exists(spec.target) && interface_driver(spec.target) != "tun") {
        throw std::runtime_error(
            "'" + spec.text + "': the interface '" + spec.target +
            "' exists and is no tap; choose another name, or use afpacket:" + spec.target);
    }
    const QuietDriver quiet(kTapLogs);
    std::string arguments = "iface=" + spec.target;
    if (!spec.option("mac").empty()) arguments += ",mac=" + to_text(mac_option(spec));
    Device device = Device::plug(spec, "net_tap", arguments);
    if (!set_interface_mtu(spec.target, options.mtu)) {
        throw std::runtime_error("'" + spec.text + "': the interface takes no MTU of " +
                                 std::to_string(options.mtu) + ": " + std::strerror(errno));
    }
    return std::make_unique<PortLink>(
        spec, name, options, std::move(device),
        PortTraits{
            .limits = {.longest = options.mtu + RTE_ETHER_HDR_LEN}, .netdev = spec.target, .logs = kTapLogs});
}

}  // namespace

Driver tap_driver() {
    return {.kind = {.name = "tap",
                     .summary = "a tap interface of the kernel, created if there is none of that name",
                     .target = "INTERFACE",
                     .options = {kMacOption},
                     .root = true,
                     .multi_segment = true,
                     .max_mtu = kTapMtu,
                     .queues = 1,
                     .zero_copy = false,
                     .rate = "2 M/s out, 0.08 M/s in",
                     .needs = "CAP_NET_ADMIN and /dev/net/tun"},
            .open = open_tap};
}

}  // namespace isoplane::link
