// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <string>

#include "checks.hh"

namespace isoplane::doctor {
namespace {

// What af_packet, tap and af_xdp were each found to need when started with one set of capabilities after
// another.
constexpr struct {
    Capability capability;
    const char* name;
    const char* links;
} kWanted[] = {
    {Capability::kNetRaw, "CAP_NET_RAW", "afpacket, afxdp"},
    {Capability::kNetAdmin, "CAP_NET_ADMIN", "tap, afpacket, afxdp"},
    {Capability::kBpf, "CAP_BPF", "afxdp"},
    {Capability::kPerfmon, "CAP_PERFMON", "afxdp"},
    {Capability::kIpcLock, "CAP_IPC_LOCK", "afxdp, pci"},
};

Finding capabilities(const System& system) {
    std::string held;
    std::string missing;
    for (const auto& wanted : kWanted) {
        std::string& list = system.has(wanted.capability) ? held : missing;
        if (!list.empty()) list += ", ";
        list += wanted.name;
        if (&list == &missing) list += std::string(" (") + wanted.links + ")";
    }
    if (missing.empty()) return {"rights", "capabilities", Status::kOk, "This process has " + held + ".", ""};
    return {"rights", "capabilities", Status::kWarn, "This process lacks " + missing + ".",
            "sudo setcap cap_net_raw,cap_net_admin,cap_bpf,cap_perfmon,cap_ipc_lock+ep " + system.executable};
}

Finding tun(const System& system) {
    if (!system.exists("/dev/net/tun"))
        return {"rights", "tun", Status::kWarn, "/dev/net/tun is not there; tap links will not open.",
                "sudo modprobe tun"};
    if (!system.writable("/dev/net/tun"))
        return {"rights", "tun", Status::kWarn, "/dev/net/tun is there but this user may not open it.",
                "sudo chmod 666 /dev/net/tun"};
    return {"rights", "tun", Status::kOk, "/dev/net/tun can be opened.", ""};
}

/// Where the EAL keeps its run-time files. Without it a node still runs, but nobody can look into it.
Finding runtime_directory(const System& system) {
    std::string parent = "/var/run";
    if (!system.is_root()) parent = system.runtime_dir.empty() ? "/tmp" : system.runtime_dir;
    const std::string directory = system.exists(parent + "/dpdk") ? parent + "/dpdk" : parent;
    if (system.writable(directory))
        return {"rights", "runtime-dir", Status::kOk,
                "DPDK can keep its run-time files in " + parent + "/dpdk.", ""};
    const bool from_environment = !system.is_root() && !system.runtime_dir.empty();
    return {"rights", "runtime-dir", Status::kWarn,
            "DPDK cannot write in " + directory + "; there will be no telemetry.",
            from_environment ? "unset XDG_RUNTIME_DIR"
                             : "sudo mkdir -p " + parent + " && sudo chown $USER " + directory};
}

}  // namespace

Findings check_rights(const System& system) {
    return {capabilities(system), tun(system), runtime_directory(system)};
}

}  // namespace isoplane::doctor
