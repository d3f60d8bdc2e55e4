// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "doctor/system.hh"

namespace isoplane::doctor {

/// A machine planted in a directory of its own, on which everything is as it should be until a test breaks
/// it.
class PlantedMachine {
  public:
    PlantedMachine() {
        char name[] = "/tmp/isoplane-machine.XXXXXX";
        system.root = mkdtemp(name);
        system.plugin_dir = "/pmds";
        system.executable = "/usr/bin/isoplane";
        write("/proc/meminfo", "MemTotal:  8000000 kB\nMemAvailable:  4096000 kB\n");
        write("/proc/self/status", status(0, "000001ffffffffff"));
        write("/proc/self/limits",
              "Max locked memory         8388608              8388608              bytes\n");
        write("/proc/net/protocols", "protocol  size\nPACKET  1\nXDP  1\n");
        write("/proc/net/route", "Iface Destination\neth0 00000000\n");
        write("/dev/net/tun", "");
        write("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "512");
        write("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "500");
        write("/sys/devices/system/cpu/online", "0-3");
        std::filesystem::create_directories(system.at("/var/run"));
        std::filesystem::create_directories(system.at("/sys/class/iommu/dmar0"));
        std::filesystem::create_directories(system.at("/sys/bus/pci/drivers/vfio-pci"));
        for (const char* driver :
             {"mempool_stack", "net_ring", "net_virtio", "net_vhost", "net_memif", "net_af_packet",
              "net_af_xdp", "net_tap", "net_pcap", "net_null", "bus_pci"})
            write("/pmds/librte_" + std::string(driver) + ".so.23", "");
        nic("0000:00:03.0", "virtio-pci", "eth0");
        nic("0000:00:04.0", "vfio-pci", "");
    }
    ~PlantedMachine() { std::filesystem::remove_all(system.root); }
    PlantedMachine(const PlantedMachine&) = delete;
    PlantedMachine& operator=(const PlantedMachine&) = delete;

    static std::string status(int uid, const std::string& capabilities) {
        return "Uid:\t" + std::to_string(uid) + "\t" + std::to_string(uid) + "\nCapEff:\t" + capabilities +
               "\nCpus_allowed_list:\t0-3\n";
    }

    void write(const std::string& path, const std::string& text) const {
        std::filesystem::create_directories(system.at(path).parent_path());
        std::ofstream(system.at(path)) << text;
    }

    void remove(const std::string& path) const { std::filesystem::remove_all(system.at(path)); }

    /// A network card; `interface` is empty when the kernel does not use it.
    void nic(const std::string& address, const std::string& driver, const std::string& interface) const {
        const std::string device = "/sys/bus/pci/devices/" + address;
        write(device + "/class", "0x020000");
        remove(device + "/driver");
        std::filesystem::create_symlink("../drivers/" + driver, system.at(device + "/driver"));
        if (!interface.empty())
            std::filesystem::create_directories(system.at(device + "/virtio0/net/" + interface));
    }

    void become_ordinary_user() const { write("/proc/self/status", status(1000, "0000000000000000")); }

    System system;
};

}  // namespace isoplane::doctor
