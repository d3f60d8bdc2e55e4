// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <endian.h>

#include <cstring>
#include <isoplane/portals/types.hh>
#include <string>

namespace isoplane::fi {

/// An endpoint as libfabric's users pass it to each other: node and pid, in network order.
struct Address {
    std::uint32_t nid;
    std::uint32_t pid;

    static Address of(const portals::ProcessId& id) { return {htobe32(id.nid), htobe32(id.pid)}; }
    static Address read(const void* from) {
        Address address;
        std::memcpy(&address, from, sizeof address);
        return address;
    }
    portals::ProcessId id() const { return {be32toh(nid), be32toh(pid)}; }
};
static_assert(sizeof(Address) == 8);

/// "isoplane://3:1".
inline std::string text_of(const portals::ProcessId& id) {
    return "isoplane://" + std::to_string(id.nid) + ':' + std::to_string(id.pid);
}

/// From the words for node and service: a node's number and a pid. False when they are none.
bool parse(const char* node, const char* service, portals::ProcessId& id);

}  // namespace isoplane::fi
