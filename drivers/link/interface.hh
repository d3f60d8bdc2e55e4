// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

// Network interfaces of the kernel, as the links over them need to know them.

#include <isoplane/link/link.hh>
#include <string>

namespace isoplane::link {

/// Throws std::invalid_argument unless `name` could be an interface's.
void check_interface_name(const LinkSpec& spec);

bool interface_exists(const std::string& name);
/// Up, with a carrier.
bool interface_runs(const std::string& name);
unsigned interface_mtu(const std::string& name);
/// Returns false, with errno set, when the kernel refuses.
bool set_interface_mtu(const std::string& name, unsigned mtu);
/// The kernel driver behind it, such as "veth" or "tun".
std::string interface_driver(const std::string& name);

/// Throws std::runtime_error unless the interface that `spec` names exists and has at least that MTU.
void demand_interface(const LinkSpec& spec, unsigned mtu);

/// Throws std::runtime_error unless this process has the capability, CAP_NET_RAW for instance.
void demand_capability(const LinkSpec& spec, unsigned capability, const std::string& name);

}  // namespace isoplane::link
