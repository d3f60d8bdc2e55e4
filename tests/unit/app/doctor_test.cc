// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "doctor/checks.hh"
#include "doctor/report.hh"
#include "planted_machine.hh"

namespace isoplane::doctor {
namespace {

Finding find(const Findings& findings, const std::string& check) {
    const auto found =
        std::find_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.check == check; });
    if (found == findings.end()) throw std::runtime_error("no finding '" + check + "'");
    return *found;
}

bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST(Doctor, has_nothing_to_mend_on_a_machine_that_has_everything) {
    const PlantedMachine machine;
    for (const Finding& finding : check_all(machine.system)) {
        EXPECT_EQ(finding.status, Status::kOk) << finding.check << ": " << finding.text;
        EXPECT_EQ(finding.mend, "") << finding.check;
    }
}

TEST(Doctor, lets_the_default_run_without_hugepages_privilege_or_card) {
    const PlantedMachine machine;
    machine.become_ordinary_user();
    machine.remove("/sys/kernel/mm/hugepages");
    machine.remove("/sys/bus/pci");
    machine.remove("/dev");
    EXPECT_TRUE(default_runs(check_all(machine.system)));
}

TEST(Doctor, fails_the_default_when_an_unreadable_machine_shows_no_memory) {
    const PlantedMachine machine;
    machine.remove("/proc/meminfo");
    EXPECT_FALSE(default_runs(check_all(machine.system)));
}

TEST(Doctor, fails_the_default_when_memory_is_short) {
    const PlantedMachine machine;
    machine.write("/proc/meminfo", "MemAvailable: 102400 kB\n");
    const Finding finding = find(check_memory(machine.system), "available");
    EXPECT_EQ(finding.status, Status::kFail);
    EXPECT_TRUE(says(finding.text, "Only 100 MiB")) << finding.text;
    EXPECT_NE(finding.mend, "");
}

TEST(Doctor, counts_hugepages_of_each_size) {
    const PlantedMachine machine;
    machine.write("/sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages", "2");
    machine.write("/sys/kernel/mm/hugepages/hugepages-1048576kB/free_hugepages", "1");
    const Finding finding = find(check_memory(machine.system), "hugepages");
    EXPECT_EQ(finding.text, "Hugepages: 2 of 1048576kB (1 free), 512 of 2048kB (500 free).");
}

TEST(Doctor, says_how_to_get_hugepages_when_none_are_reserved) {
    const PlantedMachine machine;
    machine.write("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "0");
    const Finding finding = find(check_memory(machine.system), "hugepages");
    EXPECT_EQ(finding.status, Status::kWarn);
    EXPECT_TRUE(says(finding.text, "PCI cards without an IOMMU need them")) << finding.text;
    EXPECT_TRUE(says(finding.mend, "nr_hugepages")) << finding.mend;
}

TEST(Doctor, wants_no_mount_of_hugetlbfs) {
    const PlantedMachine machine;
    machine.write("/proc/self/mounts", "proc /proc proc rw 0 0\n");
    for (const Finding& finding : check_memory(machine.system))
        EXPECT_FALSE(says(finding.text + finding.mend, "hugetlbfs")) << finding.check;
}

TEST(Doctor, warns_of_a_small_memlock_limit_only_where_it_binds) {
    const PlantedMachine machine;
    EXPECT_EQ(find(check_memory(machine.system), "memlock").status, Status::kOk);
    machine.become_ordinary_user();
    const Finding finding = find(check_memory(machine.system), "memlock");
    EXPECT_EQ(finding.status, Status::kWarn);
    EXPECT_TRUE(says(finding.text, "8 MiB")) << finding.text;
    machine.write("/proc/self/limits", "Max locked memory    unlimited    unlimited    bytes\n");
    EXPECT_EQ(find(check_memory(machine.system), "memlock").status, Status::kOk);
}

TEST(Doctor, names_each_missing_capability_and_what_it_is_for) {
    const PlantedMachine machine;
    machine.write("/proc/self/status",
                  PlantedMachine::status(1000, "0000000000003000"));  // NET_ADMIN and NET_RAW
    const Finding finding = find(check_rights(machine.system), "capabilities");
    EXPECT_EQ(finding.status, Status::kWarn);
    EXPECT_FALSE(says(finding.text, "CAP_NET_RAW")) << finding.text;
    EXPECT_TRUE(says(finding.text, "CAP_BPF (afxdp)")) << finding.text;
    EXPECT_TRUE(says(finding.mend, "setcap") && says(finding.mend, "/usr/bin/isoplane")) << finding.mend;
}

TEST(Doctor, warns_of_a_runtime_directory_that_is_not_there) {
    PlantedMachine machine;
    machine.become_ordinary_user();
    machine.system.runtime_dir = "/run/user/1000";
    const Finding finding = find(check_rights(machine.system), "runtime-dir");
    EXPECT_EQ(finding.status, Status::kWarn);
    EXPECT_EQ(finding.mend, "unset XDG_RUNTIME_DIR");
}

TEST(Doctor, counts_the_cores_this_process_may_use) {
    const PlantedMachine machine;
    machine.write("/proc/self/status", "Uid:\t0\t0\nCapEff:\t0\nCpus_allowed_list:\t0,2-4,9\n");
    EXPECT_TRUE(
        says(find(check_cores(machine.system), "usable").text, "may use 5 cores (0,2-4,9); 4 online"));
    machine.write("/proc/self/status", "Uid:\t0\t0\nCapEff:\t0\nCpus_allowed_list:\t3\n");
    EXPECT_EQ(find(check_cores(machine.system), "usable").status, Status::kWarn);
}

TEST(Doctor, reports_isolated_cores_and_a_saving_governor) {
    const PlantedMachine machine;
    machine.write("/sys/devices/system/cpu/isolated", "2-3");
    machine.write("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave");
    EXPECT_TRUE(says(find(check_cores(machine.system), "isolated").text, "2-3"));
    EXPECT_EQ(find(check_cores(machine.system), "governor").status, Status::kWarn);
}

TEST(Doctor, tells_whose_each_card_is) {
    const PlantedMachine machine;
    const Findings findings = check_nics(machine.system);
    EXPECT_TRUE(says(find(findings, "0000:00:03.0").text, "virtio-pci, interface eth0"));
    EXPECT_TRUE(says(find(findings, "0000:00:03.0").text, "a route"));
    EXPECT_TRUE(says(find(findings, "0000:00:04.0").text, "ready for DPDK through vfio-pci"));
}

TEST(Doctor, never_offers_to_take_a_card_with_a_route) {
    const PlantedMachine machine;
    machine.remove("/sys/bus/pci/devices/0000:00:04.0");
    const Finding finding = find(check_links(machine.system), "pci");
    EXPECT_EQ(finding.status, Status::kWarn);
    EXPECT_EQ(finding.mend, "");
}

TEST(Doctor, knows_the_routes_of_ipv6) {
    const PlantedMachine machine;
    machine.nic("0000:00:04.0", "e1000", "eth1");
    const std::string none(32, '0');
    const std::string rest = ' ' + none + " 00 " + none + " 00000400 00000003 00000000 00000003     ";
    machine.write("/proc/net/route", "");
    machine.write("/proc/net/ipv6_route", "2001" + none.substr(4) + " 40" + rest + "eth0\n" + "fe80" +
                                              none.substr(4) + " 40" + rest + "eth1\n" + "ff00" +
                                              none.substr(4) + " 08" + rest + "eth1\n");
    const Findings findings = check_nics(machine.system);
    EXPECT_TRUE(says(find(findings, "0000:00:03.0").text, "a route"));
    EXPECT_FALSE(says(find(findings, "0000:00:04.0").text, "a route"));
}

TEST(Doctor, knows_the_routes_of_what_is_above_a_card) {
    const PlantedMachine machine;
    machine.nic("0000:00:04.0", "e1000", "eth1");
    machine.write("/proc/net/route", "Iface Destination\nbr0 0000000A\n");
    machine.write("/sys/class/net/eth0/upper_bond0", "");
    machine.write("/sys/class/net/bond0/upper_br0", "");
    machine.write("/sys/class/net/eth1/upper_br1", "");
    const Findings findings = check_nics(machine.system);
    EXPECT_TRUE(says(find(findings, "0000:00:03.0").text, "a route"));
    EXPECT_FALSE(says(find(findings, "0000:00:04.0").text, "a route"));
}

TEST(Doctor, says_how_to_bind_a_spare_card) {
    const PlantedMachine machine;
    machine.nic("0000:00:04.0", "e1000", "eth1");
    EXPECT_EQ(find(check_links(machine.system), "pci").mend,
              "sudo modprobe vfio-pci && sudo ip link set eth1 down && "
              "sudo dpdk-devbind.py -b vfio-pci 0000:00:04.0");
    machine.remove("/sys/bus/pci/devices/0000:00:04.0/virtio0");
    EXPECT_EQ(find(check_links(machine.system), "pci").mend,
              "sudo modprobe vfio-pci && sudo dpdk-devbind.py -b vfio-pci 0000:00:04.0");
}

TEST(Doctor, tells_apart_no_vfio_and_no_iommu) {
    const PlantedMachine machine;
    machine.remove("/sys/class/iommu");
    EXPECT_TRUE(says(find(check_nics(machine.system), "vfio").mend, "noiommu"));
    machine.remove("/sys/bus/pci/drivers/vfio-pci");
    EXPECT_TRUE(says(find(check_nics(machine.system), "vfio").text, "no vfio-pci module"));
    machine.write("/proc/sys/kernel/osrelease", "6.1.0");
    machine.write("/lib/modules/6.1.0/modules.dep",
                  "kernel/drivers/vfio/pci/vfio-pci.ko: kernel/drivers/vfio.ko\n");
    EXPECT_TRUE(says(find(check_nics(machine.system), "vfio").mend, "noiommu"));
}

TEST(Doctor, says_what_each_link_lacks_for_an_ordinary_user) {
    const PlantedMachine machine;
    machine.become_ordinary_user();
    const Findings findings = check_links(machine.system);
    for (const char* kind : {"ring", "virtio", "memif", "pcap", "null"})
        EXPECT_EQ(find(findings, kind).status, Status::kOk) << kind;
    for (const char* kind : {"afpacket", "afxdp", "tap"}) {
        EXPECT_EQ(find(findings, kind).status, Status::kWarn) << kind;
        EXPECT_TRUE(says(find(findings, kind).mend, "setcap cap_net_")) << kind;
    }
}

TEST(Doctor, says_when_the_kernel_has_no_such_socket) {
    const PlantedMachine machine;
    machine.write("/proc/net/protocols", "protocol  size\nTCP  1\n");
    EXPECT_TRUE(says(find(check_links(machine.system), "afxdp").text, "no AF_XDP"));
    EXPECT_TRUE(says(find(check_links(machine.system), "afpacket").text, "no packet sockets"));
}

TEST(Doctor, fails_the_default_only_for_the_drivers_it_needs) {
    const PlantedMachine machine;
    machine.remove("/pmds/librte_net_vhost.so.23");
    Findings findings = check_links(machine.system);
    EXPECT_TRUE(default_runs(findings));
    EXPECT_TRUE(says(find(findings, "virtio").text, "net_vhost"));
    machine.remove("/pmds/librte_mempool_stack.so.23");
    EXPECT_FALSE(default_runs(check_links(machine.system)));
}

TEST(Doctor, ends_its_text_with_the_verdict) {
    const Findings findings = {{"memory", "available", Status::kFail, "Only 1 MiB.", "reboot"},
                               {"rights", "tun", Status::kWarn, "No tun.", "modprobe tun"}};
    std::ostringstream out;
    print_text(out, findings);
    EXPECT_EQ(out.str(),
              "memory\n"
              "  fail  available  Only 1 MiB.\n"
              "                   -> reboot\n"
              "rights\n"
              "  warn  tun        No tun.\n"
              "                   -> modprobe tun\n"
              "\n"
              "isoplane demo would not run here: mend what failed; 1 warning.\n");
}

TEST(Doctor, prints_json_that_a_script_can_rely_on) {
    std::ostringstream out;
    print_json(out, {{"rights", "tun", Status::kWarn, "No \"tun\".", "modprobe tun"},
                     {"cores", "usable", {}, "4.", ""}});
    const auto parsed = nlohmann::json::parse(out.str());
    ASSERT_EQ(parsed.size(), 2U);
    EXPECT_EQ(parsed[0], (nlohmann::json{{"area", "rights"},
                                         {"check", "tun"},
                                         {"status", "warn"},
                                         {"finding", "No \"tun\"."},
                                         {"mend", "modprobe tun"}}));
    EXPECT_TRUE(parsed[1]["mend"].is_null());
}

}  // namespace
}  // namespace isoplane::doctor
