// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "environment.hh"

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_version.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>

#include "commit.hh"
#include "table.hh"

namespace isoplane::report {

namespace {

std::string content_of(const char* file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::string kernel() {
    utsname names{};
    if (uname(&names) != 0) return "unknown";
    return std::string(names.sysname) + " " + names.release + " " + names.machine;
}

/// Those who want a CPU, on average over the last minute: what else there was to do.
std::string load() {
    double last_minute = 0;
    return getloadavg(&last_minute, 1) == 1 ? fixed(last_minute, 1) + " in the last minute" : "unknown";
}

std::string now() {
    const std::time_t time = std::time(nullptr);
    std::tm parts{};
    char text[32];
    gmtime_r(&time, &parts);
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &parts);
    return text;
}

bool is_virtual(const std::string& cpuinfo) {
    return cpuinfo.find(" hypervisor") != std::string::npos;
}

}  // namespace

std::string Environment::at(const std::string& name) const {
    const auto found = std::ranges::find(items, name, &std::pair<std::string, std::string>::first);
    return found == items.end() ? std::string() : found->second;
}

void Environment::set(const std::string& name, const std::string& value) {
    const auto found = std::ranges::find(items, name, &std::pair<std::string, std::string>::first);
    if (found == items.end())
        items.emplace_back(name, value);
    else
        found->second = value;
}

std::string cpu_model(const std::string& cpuinfo) {
    const std::size_t line = cpuinfo.find("model name");
    const std::size_t colon = line == std::string::npos ? line : cpuinfo.find(": ", line);
    if (colon == std::string::npos) return "unknown";
    return cpuinfo.substr(colon + 2, cpuinfo.find('\n', colon) - colon - 2);
}

Environment environment() {
    const std::string cpuinfo = content_of("/proc/cpuinfo");
    Environment all;
    all.set("cpu", cpu_model(cpuinfo) + (is_virtual(cpuinfo) ? ", virtual machine" : ""));
    all.set("cores", std::to_string(sysconf(_SC_NPROCESSORS_ONLN)));
    all.set("time stamp counter", fixed(static_cast<double>(rte_get_tsc_hz()) / 1e9, 3) + " GHz");
    all.set("memory", rte_eal_has_hugepages() != 0 ? "hugepages" : "ordinary pages");
    all.set("load", load());
    all.set("kernel", kernel());
    all.set("dpdk", rte_version());
    all.set("isoplane", ISOPLANE_VERSION " (" ISOPLANE_COMMIT ")");
    all.set("compiler", ISOPLANE_COMPILER);
    all.set("flags", ISOPLANE_FLAGS);
    all.set("time", now());
    return all;
}

}  // namespace isoplane::report
