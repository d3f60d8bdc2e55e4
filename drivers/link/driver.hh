// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

// What a kind of link is made of: its row of the table and the function that opens it.

#include <memory>
#include <string>

#include <isoplane/link/kind.hh>
#include <isoplane/link/link.hh>

namespace isoplane::link {

struct Driver {
    LinkKind kind;
    std::unique_ptr<Link> (*open)(const LinkSpec& spec, const std::string& name, const LinkOptions& options);
};

// One file each.
Driver ring_driver();
Driver virtio_driver();
Driver memif_driver();
Driver afpacket_driver();
Driver afxdp_driver();
Driver tap_driver();
Driver pcap_driver();
Driver null_driver();
Driver pci_driver();
Driver shared_driver();

/// Longest frame an mbuf can describe, less its Ethernet header: for kinds that set no limit of their own.
inline constexpr unsigned kAnyMtu = 65535 - 14;

/// `mac=` as bytes, or a random locally administered address when it was not given.
Mac mac_option(const LinkSpec& spec);
std::string to_text(const Mac& mac);

inline constexpr LinkOption kMacOption{"mac", "ADDRESS", "the link's address; random by default"};

}  // namespace isoplane::link
