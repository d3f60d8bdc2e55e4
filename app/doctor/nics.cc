// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "nics.hh"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <string_view>

#include "checks.hh"

namespace isoplane::doctor {
namespace {

constexpr const char* kDevices = "/sys/bus/pci/devices/";

/// virtio puts a device of its own between the PCI device and the interface.
std::string interface_of(const System& system, const std::string& device) {
    for (const std::string& name : system.list(device + "/net"))
        return name;
    for (const std::string& child : system.list(device)) {
        if (!child.starts_with("virtio")) continue;
        std::string net = device;
        net.append("/").append(child).append("/net");
        for (const std::string& name : system.list(net))
            return name;
    }
    return {};
}

/// The interface of a line of /proc/net/route or /proc/net/ipv6_route; none if nobody but neighbours is
/// reached by it.
std::string interface_of_route(const std::string& line) {
    std::istringstream text(line);
    const std::vector<std::string> columns(std::istream_iterator<std::string>(text), {});
    if (columns.size() < 2) return {};
    constexpr std::size_t kAddress6 = 32;
    if (columns[0].size() != kAddress6) return columns[0];
    const bool near = columns[0].starts_with("fe80") || columns[0].starts_with("ff");
    return near ? std::string() : columns.back();
}

/// By itself, or for a bridge, bond or VLAN above it.
bool carries_route(const System& system, const std::string& interface) {
    for (const char* table : {"/proc/net/route", "/proc/net/ipv6_route"}) {
        for (const std::string& line : system.lines(table))
            if (interface_of_route(line) == interface) return true;
    }
    constexpr std::string_view kUpper = "upper_";
    const auto links = system.list("/sys/class/net/" + interface);
    return std::any_of(links.begin(), links.end(), [&](const std::string& link) {
        return link.starts_with(kUpper) && carries_route(system, link.substr(kUpper.size()));
    });
}

bool module_listed(const System& system, const std::string& file) {
    const std::string release = system.read("/proc/sys/kernel/osrelease");
    const auto lines = system.lines("/lib/modules/" + release + "/" + file);
    return std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
        return line.find("/vfio-pci.ko") != std::string::npos;
    });
}

Finding finding_of(const Nic& nic) {
    std::string text = nic.address;
    if (nic.ready())
        text += " is ready for DPDK through " + nic.driver + ".";
    else if (nic.driver.empty())
        text += " has no driver.";
    else
        text += " belongs to the kernel (" + nic.driver +
                (nic.interface.empty() ? "" : ", interface " + nic.interface) + ")" +
                (nic.routed ? " and carries a route." : ".");
    return {"nics", nic.address, Status::kOk, text, ""};
}

Finding vfio(const System& system) {
    if (!has_vfio(system))
        return {"nics", "vfio", Status::kWarn,
                "This kernel has no vfio-pci module; PCI cards cannot be given to DPDK.",
                "sudo apt-get install linux-image-amd64  # then boot it"};
    if (!has_iommu(system))
        return {"nics", "vfio", Status::kWarn,
                "vfio-pci is there but no IOMMU is on; cards then reach all memory, which must be asked for.",
                "sudo modprobe vfio enable_unsafe_noiommu_mode=1"};
    return {"nics", "vfio", Status::kOk, "vfio-pci is there and an IOMMU is on.", ""};
}

}  // namespace

bool Nic::ready() const {
    constexpr const char* kDrivers[] = {"vfio-pci", "uio_pci_generic", "igb_uio", "mlx4_core", "mlx5_core"};
    return std::find(std::begin(kDrivers), std::end(kDrivers), driver) != std::end(kDrivers);
}

std::vector<Nic> find_nics(const System& system) {
    std::vector<Nic> nics;
    for (const std::string& address : system.list(kDevices)) {
        const std::string device = kDevices + address;
        if (!system.read(device + "/class").starts_with("0x02")) continue;
        Nic nic{address, system.link_name(device + "/driver"), interface_of(system, device), false};
        nic.routed = !nic.interface.empty() && carries_route(system, nic.interface);
        nics.push_back(nic);
    }
    return nics;
}

bool has_vfio(const System& system) {
    return system.exists("/sys/bus/pci/drivers/vfio-pci") || module_listed(system, "modules.dep") ||
           module_listed(system, "modules.builtin");
}

bool has_iommu(const System& system) {
    return !system.list("/sys/class/iommu").empty();
}

Findings check_nics(const System& system) {
    Findings findings;
    for (const Nic& nic : find_nics(system))
        findings.push_back(finding_of(nic));
    if (findings.empty())
        findings.push_back({"nics", "pci", Status::kOk, "There is no network card on the PCI bus.", ""});
    findings.push_back(vfio(system));
    return findings;
}

}  // namespace isoplane::doctor
