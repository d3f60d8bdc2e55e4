// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "child.hh"
#include "links.hh"

namespace isoplane::run {

/// What a user may say of the fabric.
struct FabricOptions {
    std::string impairment;  ///< as `isoplane node --fabric` takes it
    std::string seed;
    unsigned mtu = 1500;
    std::string pcap;           ///< a file; empty for no capture
    std::string pcap_filter{};  ///< as `set capture filter` takes it
    std::string pcap_ring{};    ///< and `set capture ring`
};

/// One process of the fabric: the ports of ranks come first, then those that lead to its neighbours.
struct SwitchPlan {
    unsigned first_rank = 0;
    unsigned ranks = 0;
    std::vector<std::string> links;
    std::string clients{};       ///< where ranks register that share a port of it; empty for none
    std::string manager_conf{};  ///< the node.conf of the token managers that run here; empty for none
    unsigned key_memory_mb = 0;  ///< of those; see key_memory_mb()
    unsigned plane = 0;          ///< of the job's
};

/// The most ports that a process of DPDK can have.
extern const unsigned kMaxPorts;

/// The links of all ranks on one plane after the other, of which each has switches of its own. More ranks
/// than one process has ports for are spread over a line of them, joined by virtio links.
std::vector<SwitchPlan> plan_fabric(const std::vector<RankLink>& links, unsigned planes,
                                    const std::string& directory);

/// The words that start one: `isoplane node --role fabric ...`.
std::vector<std::string> fabric_words(const SwitchPlan& plan, const FabricOptions& options);

/// One line for each rank on a switch, from the reports that it ended with.
std::string fabric_statistics(const SwitchPlan& plan, const std::string& said);

/// A running switch. What it says is kept, for when it fails.
class FabricSwitch {
  public:
    FabricSwitch(SwitchPlan plan, Child child) : plan_(std::move(plan)), child_(std::move(child)) {}

    const SwitchPlan& plan() const { return plan_; }
    Child& child() { return child_; }
    const Child& child() const { return child_; }
    /// Takes what it wrote.
    void take(bool to_error, const char* bytes, std::size_t size);
    /// Its links are open and its stages run.
    bool ready() const;
    const std::string& said() const { return out_; }
    const std::string& complaint() const { return err_; }

  private:
    SwitchPlan plan_;
    Child child_;
    std::string out_;
    std::string err_;
};

}  // namespace isoplane::run
