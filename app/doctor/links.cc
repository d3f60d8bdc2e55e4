// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <string>

#include "checks.hh"
#include "nics.hh"

namespace isoplane::doctor {
namespace {

/// What stands in the way of a link; an empty text means nothing does.
struct Obstacle {
    std::string text;
    std::string mend;
};

struct Kind {
    const char* spec;
    const char* drivers[2];  ///< the DPDK drivers behind it
    const char* needs;       ///< said when it would open
    Obstacle (*obstacle)(const System&);
};

Obstacle none(const System& /*system*/) {
    return {};
}

std::string setcap(const System& system, const std::string& capabilities) {
    return "sudo setcap " + capabilities + "+ep " + system.executable;
}

/// /proc/net/protocols names every socket family the running kernel has.
bool has_family(const System& system, const std::string& family) {
    return !system.field("/proc/net/protocols", family).empty();
}

Obstacle afpacket(const System& system) {
    if (!has_family(system, "PACKET"))
        return {"this kernel has no packet sockets", "sudo modprobe af_packet"};
    if (!system.has(Capability::kNetRaw) || !system.has(Capability::kNetAdmin))
        return {"CAP_NET_RAW and CAP_NET_ADMIN are missing", setcap(system, "cap_net_raw,cap_net_admin")};
    return {};
}

Obstacle afxdp(const System& system) {
    if (!has_family(system, "XDP"))
        return {"this kernel has no AF_XDP sockets",
                "sudo apt-get install linux-image-amd64  # then boot it"};
    const bool entitled = system.has(Capability::kNetRaw) && system.has(Capability::kNetAdmin) &&
                          system.has(Capability::kBpf) && system.has(Capability::kPerfmon);
    if (!entitled || system.lockable_bytes().has_value())
        return {"CAP_NET_RAW, CAP_NET_ADMIN, CAP_BPF, CAP_PERFMON or CAP_IPC_LOCK is missing",
                setcap(system, "cap_net_raw,cap_net_admin,cap_bpf,cap_perfmon,cap_ipc_lock")};
    return {};
}

Obstacle tap(const System& system) {
    if (!system.writable("/dev/net/tun"))
        return {"/dev/net/tun cannot be opened", "sudo modprobe tun && sudo chmod 666 /dev/net/tun"};
    if (!system.has(Capability::kNetAdmin))
        return {"CAP_NET_ADMIN is missing", setcap(system, "cap_net_admin")};
    return {};
}

Obstacle pci(const System& system) {
    const auto nics = find_nics(system);
    if (nics.empty()) return {"there is no network card on the PCI bus", ""};
    if (std::any_of(nics.begin(), nics.end(), [](const Nic& nic) { return nic.ready(); })) return {};
    const auto spare = std::find_if(nics.begin(), nics.end(), [](const Nic& nic) { return !nic.routed; });
    if (spare == nics.end()) return {"every card carries a route; one more is needed", ""};
    // An interface that is up is not taken.
    const std::string take =
        (spare->interface.empty() ? "" : "sudo ip link set " + spare->interface + " down && ") +
        "sudo dpdk-devbind.py -b ";
    if (has_vfio(system))
        return {"no card is bound to vfio-pci",
                "sudo modprobe vfio-pci && " + take + "vfio-pci " + spare->address};
    return {"no card is bound to a driver DPDK can use, and this kernel has no vfio-pci",
            "sudo modprobe uio_pci_generic && " + take + "uio_pci_generic " + spare->address};
}

constexpr Kind kKinds[] = {
    {"ring:NAME", {"net_ring", nullptr}, "one process, no privilege", none},
    {"virtio:SOCKET", {"net_virtio", "net_vhost"}, "two processes, no privilege", none},
    {"memif:SOCKET", {"net_memif", nullptr}, "two processes, no privilege", none},
    {"afpacket:IF",
     {"net_af_packet", nullptr},
     "any kernel interface, CAP_NET_RAW and CAP_NET_ADMIN",
     afpacket},
    {"afxdp:IF", {"net_af_xdp", nullptr}, "a kernel interface, CAP_BPF and its like", afxdp},
    {"tap:IF", {"net_tap", nullptr}, "/dev/net/tun and CAP_NET_ADMIN", tap},
    {"pcap:IN[,OUT]", {"net_pcap", nullptr}, "trace files, no privilege", none},
    {"null:", {"net_null", nullptr}, "nothing", none},
    {"pci:BDF", {"bus_pci", nullptr}, "a card given to DPDK", pci},
    {"shared:SOCKET", {nullptr, nullptr}, "a shared node on this machine, no privilege", none},
};

bool has_driver(const System& system, const std::string& name) {
    const std::string prefix = system.plugin_dir + "/librte_" + name + ".so";
    const auto slash = prefix.rfind('/');
    const auto files = system.list(prefix.substr(0, slash));
    return std::any_of(files.begin(), files.end(),
                       [&](const std::string& file) { return file.starts_with(prefix.substr(slash + 1)); });
}

Finding missing_driver(const System& system, const std::string& check, const std::string& driver,
                       Status status) {
    return {"links", check, status, "DPDK's driver " + driver + " is not in " + system.plugin_dir + ".",
            "sudo apt-get install --reinstall libdpdk-dev librte-meta-all"};
}

Finding link(const System& system, const Kind& kind) {
    const std::string spec = kind.spec;
    const std::string check = spec.substr(0, spec.find(':'));
    for (const char* driver : kind.drivers) {
        if (driver == nullptr || has_driver(system, driver)) continue;
        // The default joins its hosts by rings.
        return missing_driver(system, check, driver, check == "ring" ? Status::kFail : Status::kWarn);
    }
    const Obstacle obstacle = kind.obstacle(system);
    if (obstacle.text.empty())
        return {"links", check, Status::kOk, spec + " would open: needs " + kind.needs + ".", ""};
    return {"links", check, Status::kWarn, spec + " would not open: " + obstacle.text + ".", obstacle.mend};
}

}  // namespace

Findings check_links(const System& system) {
    Findings findings;
    if (!has_driver(system, "mempool_stack"))
        findings.push_back(missing_driver(system, "mempool", "mempool_stack", Status::kFail));
    for (const Kind& kind : kKinds)
        findings.push_back(link(system, kind));
    return findings;
}

}  // namespace isoplane::doctor
