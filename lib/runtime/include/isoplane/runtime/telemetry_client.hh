// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <sys/types.h>

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace isoplane::runtime {

/// Where rte_telemetry of this process listens if it does; empty without an EAL.
std::string own_telemetry_socket();

/// The answer of rte_telemetry at `socket` to a command such as /isoplane/portals. Null when it has no such
/// command, nobody answers within a second, it is not process `pid` that does, or what it says is not as
/// rte_telemetry would say it: another process may listen there, and is not trusted.
nlohmann::json ask_telemetry(const std::string& socket, pid_t pid, const std::string& command);

}  // namespace isoplane::runtime
