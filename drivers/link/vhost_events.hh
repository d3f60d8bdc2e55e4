// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <string>

namespace isoplane::link {

/// Has DPDK's thread for vhost sockets look at the one that was made last: of itself it sleeps for up to a
/// second before it does, and whoever connects waits. `socket` is its path, beside which there is a file for
/// an instant. Where it cannot, it takes that second.
void watch_socket(const std::string& socket) noexcept;

}  // namespace isoplane::link
