// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "fabric.hh"

#include <rte_config.h>

#include <algorithm>
#include <isoplane/fabric/impairment.hh>
#include <isoplane/fabric/late_copies.hh>
#include <isoplane/runtime/capture.hh>
#include <isoplane/runtime/pool.hh>
#include <nlohmann/json.hpp>
#include <span>

namespace isoplane::run {

namespace {

/// Commands run once the links are open and the stages run: the answer to the last says so. The reports at
/// the end do not look like it.
constexpr const char* kLastCommand = "show pool";
constexpr const char* kItsAnswer = "\nin_use ";
constexpr std::size_t kMostComplaint = std::size_t{1} << 16;
/// Frames that one rank which does not receive can hold up; see packets_for().
constexpr unsigned kUsualQueue = 1024;

/// Ranks may stop receiving, all at once: their queues together must not empty the pool for the others.
unsigned packets_for(std::size_t ports, const fabric::Impairment& impairment) {
    constexpr std::size_t kUnderWay = 4096;
    constexpr std::size_t kMost = (std::size_t{1} << 18) - 1;
    const unsigned each = impairment.queue + (impairment.late > 0 ? fabric::LateCopies::kMost : 0);
    return static_cast<unsigned>(std::min(kUnderWay + ports * each, kMost));
}

unsigned memory_mb(const SwitchPlan& plan, unsigned packets, const FabricOptions& options) {
    constexpr unsigned kAround = 128;       // of links, and rings of token managers
    constexpr std::size_t kTapsOfLink = 2;  // what comes in, and what goes out
    const unsigned capture =
        options.pcap.empty() ? 0 : runtime::Capture::memory_mb(kTapsOfLink * plan.links.size());
    return kAround + runtime::Pool::memory_mb(packets, runtime::Pool::room_for(options.mtu)) + capture +
           plan.key_memory_mb;
}

std::string join(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : ",") + word;
    return text;
}

}  // namespace

const unsigned kMaxPorts = RTE_MAX_ETHPORTS;

namespace {

/// What `plans` has already are other planes.
void plan_plane(std::span<const RankLink> links, unsigned plane, const std::string& directory,
                std::vector<SwitchPlan>& plans) {
    const std::size_t each = links.size() <= kMaxPorts ? kMaxPorts : kMaxPorts - 2;
    for (std::size_t first = 0; first < links.size(); first += each) {
        SwitchPlan plan{.first_rank = static_cast<unsigned>(first), .links = {}, .plane = plane};
        plan.ranks = static_cast<unsigned>(std::min(each, links.size() - first));
        for (std::size_t rank = first; rank < first + plan.ranks; ++rank)
            plan.links.push_back(links[rank].fabric);
        const auto trunk = [&directory](std::size_t number, const char* side) {
            return "virtio:" + directory + "/trunk" + std::to_string(number) + ",wait=60,side=" + side;
        };
        if (first > 0) plan.links.push_back(trunk(plans.size(), "virtio"));
        if (first + each < links.size()) plan.links.push_back(trunk(plans.size() + 1, "vhost"));
        plans.push_back(std::move(plan));
    }
}

}  // namespace

std::vector<SwitchPlan> plan_fabric(const std::vector<RankLink>& links, unsigned planes,
                                    const std::string& directory) {
    std::vector<SwitchPlan> plans;
    const std::size_t ranks = links.size() / planes;
    for (unsigned plane = 0; plane < planes; ++plane)
        plan_plane(std::span(links).subspan(plane * ranks, ranks), plane, directory, plans);
    return plans;
}

std::vector<std::string> fabric_words(const SwitchPlan& plan, const FabricOptions& options) {
    std::string impairment = options.impairment;
    if (impairment.find("queue=") == std::string::npos)
        impairment = "queue=" + std::to_string(kUsualQueue) + (impairment.empty() ? "" : ",") + impairment;
    const unsigned packets = packets_for(plan.links.size(), fabric::parse_impairment(impairment));
    const std::string roles = std::string("fabric") + (plan.manager_conf.empty() ? "" : ",tm") +
                              (plan.clients.empty() ? "" : ",shared");
    std::vector<std::string> words{"isoplane",    "node",
                                   "--role",      roles,
                                   "--headless",  "--json",
                                   "--workers",   "1",
                                   "--idle",      "yield",
                                   "--hugepages", "off",
                                   "--mtu",       std::to_string(options.mtu),
                                   "--packets",   std::to_string(packets),
                                   "--memory",    std::to_string(memory_mb(plan, packets, options)),
                                   "--fabric",    impairment};
    if (!plan.links.empty()) words.insert(words.end(), {"--link", join(plan.links)});
    if (!plan.clients.empty()) words.insert(words.end(), {"--clients", plan.clients});
    if (!plan.manager_conf.empty()) words.insert(words.end(), {"--config", plan.manager_conf});
    if (!options.seed.empty()) words.insert(words.end(), {"--seed", options.seed});
    // A frame is impaired where it leaves towards a rank, and not on its way there.
    for (std::size_t port = plan.ranks; port < plan.links.size(); ++port) {
        for (const char* harmless : {"loss 0", "dup 0", "reorder 0", "corrupt 0", "late 0", "delay 0ns",
                                     "jitter 0ns", "rate 0bit", "cut off"})
            words.insert(words.end(),
                         {"--command", "set fabric port " + std::to_string(port) + ' ' + harmless});
    }
    const auto tell = [&words](const std::string& command) {
        words.insert(words.end(), {"--command", command});
    };
    if (!options.pcap_filter.empty()) tell("set capture filter " + options.pcap_filter);
    if (!options.pcap_ring.empty()) tell("set capture ring " + options.pcap_ring);
    if (!options.pcap.empty()) tell("capture start " + options.pcap);
    tell(kLastCommand);
    return words;
}

std::string fabric_statistics(const SwitchPlan& plan, const std::string& said) {
    const std::size_t report = said.rfind("\n{\n");
    if (report == std::string::npos) return {};
    const auto all = nlohmann::json::parse(said.substr(report), nullptr, false);
    std::string lines;
    for (const auto& port : all.is_object() ? all["fabric"]["ports"] : nlohmann::json::array()) {
        const unsigned number = port["port"];
        if (number >= plan.ranks) continue;
        std::string counted;
        for (const auto& [name, value] : port["counters"].items())
            if (value != 0 || name == "in" || name == "out")
                counted += (counted.empty() ? " " : ", ") + name + ' ' + value.dump();
        const std::string where = plan.plane == 0 ? "" : " on plane " + std::to_string(plan.plane);
        lines += "isoplane run: port of rank " + std::to_string(plan.first_rank + number) + where + ':' +
                 counted + '\n';
    }
    return lines;
}

void FabricSwitch::take(bool to_error, const char* bytes, std::size_t size) {
    if (!to_error)
        out_.append(bytes, size);
    else
        err_.append(bytes, std::min(size, kMostComplaint - err_.size()));
}

bool FabricSwitch::ready() const {
    return out_.find(kItsAnswer) != std::string::npos;
}

}  // namespace isoplane::run
