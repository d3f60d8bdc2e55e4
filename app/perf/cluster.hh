// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <rte_cycles.h>

#include <isoplane/fabric/switch.hh>
#include <isoplane/isotach/isotach.hh>
#include <isoplane/niu/dispatcher.hh>
#include <isoplane/runtime/ring.hh>
#include <isoplane/runtime/time.hh>
#include <memory>
#include <string>
#include <vector>

#include "../node/manager_stage.hh"

namespace isoplane::perf {

struct ClusterOptions {
    unsigned hosts = 4;
    std::uint32_t ahead = 1;              ///< tokens that every node sends ahead
    runtime::Duration pulse_interval{0};  ///< between two tokens, at least
    double loss = 0;                      ///< of the switch, of all frames
};

/// A host of a cluster. All messages that it sends have kSize bytes.
class ClusterHost final : public niu::Receiver {
  public:
    static constexpr std::size_t kSize = 64;

    ClusterHost(const std::string& name, runtime::Input& from, runtime::Output& to, runtime::Pool& pool,
                const niu::Options& options, const siu::SiuOptions& siu, const topology::Paths& paths);

    void poll(runtime::Time now) noexcept;

    /// Issues an isochron with a message to each of these hosts. False when it cannot go now.
    bool issue(std::span<const niu::NodeId> to) noexcept;
    /// Sends a message outside logical time. False when it cannot go now.
    bool send(niu::NodeId to) noexcept;

    bool ready() const noexcept { return niu_.all_up() && siu_.started(); }
    /// Nothing that it has sent is under way.
    bool settled() const noexcept;
    /// Messages of other hosts that were executed here.
    std::uint64_t executed() const noexcept { return executed_; }
    /// Messages outside logical time that have come here.
    std::uint64_t received() const noexcept { return received_; }
    /// Of the time stamp counter, in all polls and issues but those in which something else had the CPU.
    std::uint64_t ticks() const noexcept { return ticks_; }
    const niu::Niu& niu() const noexcept { return niu_; }
    const siu::Siu& siu() const noexcept { return siu_; }
    const isotach::Isotach& isotach() const noexcept { return isotach_; }
    std::size_t discard() noexcept;

  private:
    void take(const niu::Received& message) noexcept override;
    void spend(std::uint64_t begin) noexcept;

    niu::Niu niu_;
    niu::Dispatcher dispatcher_;
    siu::Siu siu_;
    isotach::Isotach isotach_;
    isotach::Isochron isochron_;
    std::uint64_t executed_ = 0;
    std::uint64_t received_ = 0;
    std::uint64_t ticks_ = 0;
    std::uint64_t interruption_ = rte_get_tsc_hz() / 2000;  ///< no poll takes as long
};

/// Hosts in logical time around a switch, with the token manager beside the switch. Rings join them, and one
/// thread polls them all in turn: so no figure depends on who has a CPU when, and what each host does for a
/// message can be told from what the others do.
class Cluster {
  public:
    Cluster(runtime::Pool& pool, const ClusterOptions& options);
    ~Cluster();
    Cluster(const Cluster&) = delete;
    Cluster& operator=(const Cluster&) = delete;

    /// Polls until all hosts are there and time goes on. Throws when they never are.
    void come_up();
    /// Polls everybody once.
    void round() noexcept;
    /// Polls until all that was sent has arrived. Throws when it never does.
    void settle();

    /// How often everybody has been polled.
    std::uint64_t rounds() const noexcept { return rounds_; }

    unsigned size() const noexcept { return static_cast<unsigned>(hosts_.size()); }
    ClusterHost& host(unsigned number) noexcept { return *hosts_[number]; }
    /// Loses all frames to that host (true), or as many as the options say.
    void cut_off(unsigned host, bool off) noexcept;
    std::uint64_t lost(unsigned host) const noexcept { return fabric_->egress(host).lost.get(); }

    /// Frames that have entered the switch; those with tokens, of hosts and of the token manager, among them.
    std::uint64_t frames() const noexcept;
    std::uint64_t tokens() const noexcept;
    /// Frames and tokens sent again by hosts.
    std::uint64_t sent_again() const noexcept;

  private:
    runtime::Ring& add_ring();

    ClusterOptions options_;
    std::shared_ptr<const node::Ways> ways_;
    runtime::TscClock clock_;
    std::uint64_t rounds_ = 0;
    std::vector<std::unique_ptr<runtime::Ring>> rings_;
    std::unique_ptr<fabric::Switch> fabric_;
    std::vector<std::unique_ptr<ClusterHost>> hosts_;
    std::unique_ptr<node::ManagerStage> manager_;
};

}  // namespace isoplane::perf
