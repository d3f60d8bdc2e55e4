// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "interface.hh"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace isoplane::link {

namespace {

/// One ioctl about an interface, on a socket of its own.
bool ask(unsigned long request, const std::string& name, ifreq& answer) {
    name.copy(answer.ifr_name, IFNAMSIZ - 1);
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const bool answered = ioctl(fd, request, &answer) == 0;
    const int error = errno;
    close(fd);
    errno = error;
    return answered;
}

}  // namespace

void check_interface_name(const LinkSpec& spec) {
    const std::string& name = spec.target;
    const bool good =
        name.size() < IFNAMSIZ && name != "." && name != ".." &&
        std::ranges::none_of(name, [](unsigned char c) { return c == '/' || c <= ' ' || c == ':'; });
    if (!good) {
        throw std::invalid_argument("'" + spec.text + "': '" + name + "' cannot be the name of a network " +
                                    "interface: those have at most " + std::to_string(IFNAMSIZ - 1) +
                                    " characters, and no space, slash or colon");
    }
}

bool interface_exists(const std::string& name) {
    return if_nametoindex(name.c_str()) != 0;
}

bool interface_runs(const std::string& name) {
    ifreq answer{};
    return ask(SIOCGIFFLAGS, name, answer) && (answer.ifr_flags & IFF_UP) != 0 &&
           (answer.ifr_flags & IFF_RUNNING) != 0;
}

unsigned interface_mtu(const std::string& name) {
    ifreq answer{};
    return ask(SIOCGIFMTU, name, answer) ? static_cast<unsigned>(answer.ifr_mtu) : 0;
}

bool set_interface_mtu(const std::string& name, unsigned mtu) {
    ifreq request{};
    request.ifr_mtu = static_cast<int>(mtu);
    return ask(SIOCSIFMTU, name, request);
}

std::string interface_driver(const std::string& name) {
    ethtool_drvinfo info{};
    info.cmd = ETHTOOL_GDRVINFO;
    ifreq request{};
    request.ifr_data = reinterpret_cast<char*>(&info);
    return ask(SIOCETHTOOL, name, request) ? info.driver : "";
}

void demand_interface(const LinkSpec& spec, unsigned mtu) {
    check_interface_name(spec);
    if (!interface_exists(spec.target)) {
        throw std::runtime_error("'" + spec.text + "': there is no network interface '" + spec.target +
                                 "'; `ip link` lists those of this network namespace");
    }
    if (const unsigned present = interface_mtu(spec.target); present < mtu) {
        throw std::runtime_error("'" + spec.text + "': an MTU of " + std::to_string(mtu) +
                                 " was asked for, but that of the interface is " + std::to_string(present) +
                                 "; raise it (ip link set dev " + spec.target + " mtu " +
                                 std::to_string(mtu) + ") or ask for less");
    }
}

void demand_capability(const LinkSpec& spec, unsigned capability, const std::string& name) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (!line.starts_with("CapEff:")) continue;
        if ((std::stoull(line.substr(7), nullptr, 16) >> capability & 1) != 0) return;
    }
    throw std::runtime_error("'" + spec.text + "': links of kind " + spec.kind + " need the capability " +
                             name + "; run as root, or give it to the program (setcap " + name +
                             "+ep PROGRAM)");
}

}  // namespace isoplane::link
