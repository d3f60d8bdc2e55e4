// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <string>

#include "checks.hh"

namespace isoplane::doctor {
namespace {

constexpr uint64_t kMebi = uint64_t{1} << 20;
constexpr uint64_t kNeededMebibytes = 256;  // what the default's pools take, with room
constexpr uint64_t kComfortableMebibytes = 1024;
constexpr uint64_t kLockMebibytes = 64;  // receive memory of an af_xdp socket

Finding available(const System& system) {
    const std::string text = system.field("/proc/meminfo", "MemAvailable");
    const uint64_t mebibytes = text.empty() ? 0 : std::stoull(text) / 1024;
    Finding finding{"memory", "available", Status::kOk,
                    std::to_string(mebibytes) + " MiB of memory can be had.", ""};
    if (mebibytes < kNeededMebibytes) {
        finding.status = Status::kFail;
        finding.text =
            "Only " + finding.text + " The default needs " + std::to_string(kNeededMebibytes) + " MiB.";
        finding.mend = "ps aux --sort=-rss | head";
    } else if (mebibytes < kComfortableMebibytes) {
        finding.status = Status::kWarn;
        finding.text = "Only " + finding.text + " Large pools and several nodes will not fit.";
        finding.mend = "ps aux --sort=-rss | head";
    }
    return finding;
}

Finding hugepages(const System& system) {
    uint64_t total = 0;
    std::string text;
    const std::string base = "/sys/kernel/mm/hugepages/";
    for (const std::string& name : system.list(base)) {
        if (!name.starts_with("hugepages-")) continue;
        const uint64_t count = system.number(base + name + "/nr_hugepages").value_or(0);
        const uint64_t free = system.number(base + name + "/free_hugepages").value_or(0);
        total += count;
        if (!text.empty()) text += ", ";
        text += std::to_string(count) + " of " + name.substr(10) + " (" + std::to_string(free) + " free)";
    }
    Finding finding{"memory", "hugepages", Status::kOk, "Hugepages: " + text + ".", ""};
    if (text.empty()) {
        finding.status = Status::kWarn;
        finding.text = "This kernel shows no hugepages; the default runs without them.";
    } else if (total == 0) {
        finding.status = Status::kWarn;
        finding.text += " The default runs without them; PCI cards without an IOMMU need them.";
        finding.mend = "echo 1024 | sudo tee /sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages";
    }
    return finding;
}

Finding memlock(const System& system) {
    const auto limit = system.lockable_bytes();
    if (!limit) return {"memory", "memlock", Status::kOk, "This process may lock any amount of memory.", ""};
    const std::string size = std::to_string(*limit / kMebi) + " MiB";
    if (*limit >= kLockMebibytes * kMebi)
        return {"memory", "memlock", Status::kOk, "This process may lock " + size + " of memory.", ""};
    return {"memory", "memlock", Status::kWarn,
            "This process may lock only " + size + " of memory; afxdp and pci links need more.",
            "echo \"$USER - memlock unlimited\" | sudo tee /etc/security/limits.d/isoplane.conf  # then log "
            "in again"};
}

}  // namespace

Findings check_memory(const System& system) {
    return {available(system), hugepages(system), memlock(system)};
}

}  // namespace isoplane::doctor
