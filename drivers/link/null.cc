// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/runtime/pool.hh>

#include "port_link.hh"

namespace isoplane::link {

namespace {

std::unique_ptr<Link> open_null(const LinkSpec& spec, const std::string& name, const LinkOptions& options) {
    // The driver does not look whether a packet has room for it.
    const unsigned most = rte_pktmbuf_data_room_size(options.pool->raw()) - RTE_PKTMBUF_HEADROOM;
    std::string arguments = "size=" + std::to_string(spec.number("size", 64, 1, most)) +
                            ",copy=" + std::to_string(spec.number("copy", 0, 0, 1));
    // The driver takes no-rx=0 for no-rx=1, so it is given only when meant.
    if (spec.number("no-rx", 0, 0, 1) == 1) arguments += ",no-rx=1";
    return std::make_unique<PortLink>(spec, name, options, Device::plug(spec, "net_null", arguments),
                                      PortTraits{.mac = mac_option(spec), .bytes = ByteCount::kNobody});
}

}  // namespace

Driver null_driver() {
    return {
        .kind = {.name = "null",
                 .summary = "yields zero-filled packets as fast as they are taken and swallows what is sent",
                 .target = "",
                 .options = {{"size", "BYTES",
                              "of the packets it yields, up to what mtu= gives them room for; 64 by default"},
                             {"copy", "0|1", "touch the bytes of packets in both directions; 0 by default"},
                             {"no-rx", "0|1", "yield nothing; 0 by default"},
                             kMacOption},
                 .root = false,
                 .multi_segment = true,
                 .max_mtu = kAnyMtu,
                 .queues = 1,
                 .zero_copy = true,
                 .rate = "25 M/s",
                 .needs = "nothing"},
        .open = open_null};
}

}  // namespace isoplane::link
