// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <bit>
#include <iterator>
#include <stdexcept>

#include "driver.hh"

namespace isoplane::link {

namespace {

const std::vector<Driver>& drivers() {
    static const std::vector<Driver> all{
        ring_driver(), virtio_driver(), memif_driver(), afpacket_driver(), afxdp_driver(),
        tap_driver(),  pcap_driver(),   null_driver(),  pci_driver(),      shared_driver(),
    };
    return all;
}

}  // namespace

const std::vector<LinkKind>& link_kinds() {
    static const std::vector<LinkKind> kinds = [] {
        std::vector<LinkKind> rows;
        std::ranges::transform(drivers(), std::back_inserter(rows), &Driver::kind);
        return rows;
    }();
    return kinds;
}

const LinkKind* find_kind(std::string_view name) {
    const auto row = std::ranges::find(link_kinds(), name, &LinkKind::name);
    return row == link_kinds().end() ? nullptr : &*row;
}

std::unique_ptr<Link> open_link(const LinkSpec& spec, const std::string& name, const LinkOptions& options) {
    const Driver& driver =
        *std::ranges::find(drivers(), spec.kind, [](const Driver& d) { return d.kind.name; });
    if (options.mtu < 64 || options.mtu > driver.kind.max_mtu) {
        throw std::invalid_argument("an MTU of " + std::to_string(options.mtu) + " does not suit '" +
                                    spec.text + "': links of kind " + spec.kind + " take 64 to " +
                                    std::to_string(driver.kind.max_mtu));
    }
    LinkOptions sized = options;
    // What waits to receive must not be all that there is to send with.
    if (options.pool != nullptr)
        sized.rx_descriptors = std::min(options.rx_descriptors, std::bit_floor(options.pool->size() / 4));
    return driver.open(spec, name, sized);
}

}  // namespace isoplane::link
