// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "vhost_events.hh"

#include <rte_vhost.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace isoplane::link {

/// The thread wakes for a connection that this process makes itself, and then takes all sockets along.
void watch_socket(const std::string& socket) noexcept {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (socket.size() + 2 > sizeof address.sun_path) return;
    socket.copy(address.sun_path, socket.size());
    address.sun_path[socket.size()] = '~';
    const char* const path = address.sun_path;
    unlink(path);
    const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool listens = bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
                         listen(listener, 1) == 0;
    static constexpr rte_vhost_device_ops kNothing{};
    if (listens &&
        rte_vhost_driver_register(path, RTE_VHOST_USER_CLIENT | RTE_VHOST_USER_NO_RECONNECT) == 0) {
        if (rte_vhost_driver_callback_register(path, &kNothing) == 0) rte_vhost_driver_start(path);
        rte_vhost_driver_unregister(path);
    }
    unlink(path);
    close(listener);
}

}  // namespace isoplane::link
