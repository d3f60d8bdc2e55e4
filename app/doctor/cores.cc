// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <sstream>
#include <string>

#include "checks.hh"

namespace isoplane::doctor {
namespace {

/// How many numbers a kernel list such as "0-3,8" holds.
unsigned count(const std::string& list) {
    unsigned total = 0;
    std::istringstream ranges(list);
    for (std::string range; std::getline(ranges, range, ',');) {
        unsigned first = 0;
        unsigned last = 0;
        char dash = 0;
        std::istringstream text(range);
        if (!(text >> first)) continue;
        total += (text >> dash >> last) && last >= first ? last - first + 1 : 1;
    }
    return total;
}

Finding usable(const System& system) {
    const std::string list = system.field("/proc/self/status", "Cpus_allowed_list");
    const unsigned cores = count(list);
    const std::string online = system.read("/sys/devices/system/cpu/online");
    std::string text = "This process may use " + std::to_string(cores) +
                       (cores == 1 ? " core (" : " cores (") + list + "); " + std::to_string(count(online)) +
                       " online.";
    if (cores == 0)
        return {"cores", "usable", Status::kFail, "It cannot be told which cores this process may use.",
                "mount -t proc proc /proc"};
    if (cores == 1)
        return {"cores", "usable", Status::kWarn,
                text + " All stages share it: everything runs, nothing runs fast.",
                "taskset -c 0-" + std::to_string(count(online) > 0 ? count(online) - 1 : 0) +
                    " isoplane node ..."};
    return {"cores", "usable", Status::kOk, text, ""};
}

Finding isolated(const System& system) {
    const std::string list = system.read("/sys/devices/system/cpu/isolated");
    const std::string text = list.empty()
                                 ? "No core is isolated; the scheduler may interrupt a polling stage."
                                 : "Isolated from the scheduler: " + list + ".";
    return {"cores", "isolated", Status::kOk, text, ""};
}

Finding governor(const System& system) {
    const std::string name = system.read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    if (name.empty())
        return {"cores", "governor", Status::kOk, "No frequency governor here; the clock is not ours to set.",
                ""};
    if (name == "performance")
        return {"cores", "governor", Status::kOk, "The frequency governor is performance.", ""};
    return {"cores", "governor", Status::kWarn,
            "The frequency governor is " + name + "; latencies will wander with the clock.",
            "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"};
}

}  // namespace

Findings check_cores(const System& system) {
    return {usable(system), isolated(system), governor(system)};
}

}  // namespace isoplane::doctor
