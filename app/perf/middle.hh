// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/fabric/switch.hh>
#include <isoplane/runtime/ring.hh>
#include <isoplane/runtime/time.hh>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../node/manager_stage.hh"
#include "detour.hh"
#include "side.hh"

namespace isoplane::perf {

/// Where the token manager of a pair of hosts runs.
enum class ManagerAt {
    kHost,    ///< beside host a, whose link leads to host b
    kFabric,  ///< beside the fabric between the two, polled with it
    kPort,    ///< at a port of the fabric, polled by another lcore
};

/// A fabric between two hosts, and the token managers behind it; and as far away as these, who sends on to
/// one host what comes from the other. Host a's lcore polls the fabric.
class Middle {
  public:
    /// Between these two links. What leaves the fabric by a wire has that done to it.
    Middle(Side& a, Side& b, const std::vector<std::size_t>& ahead, ManagerAt at,
           const fabric::Impairment& impairment);
    ~Middle();
    Middle(const Middle&) = delete;
    Middle& operator=(const Middle&) = delete;

    /// Whether that host's lcore polls what is behind the fabric. It makes it, too, so that no other uses
    /// lines of its memory; while no lcore polls.
    bool runs_managers(unsigned host) const noexcept { return host == manager_host_; }
    /// Starts the token manager of a job with so many tokens ahead.
    void add_manager(std::size_t ahead, std::uint32_t job, std::shared_ptr<const node::Ways> ways);

    /// Hosts with these options are those of the last node.
    Detour& add_detour(niu::Options options);
    Traffic& traffic() noexcept { return traffic_; }

    /// Called with every poll of a host, 0 or 1, on its lcore.
    void poll(unsigned host) noexcept;

  private:
    /// To the fabric, and from it.
    struct Wire {
        explicit Wire(const std::string& name) : in(name + ".in"), out(name + ".out") {}

        fabric::Port port() noexcept { return {out.input(), in.output()}; }

        runtime::Ring in;
        runtime::Ring out;
    };
    struct Manager {
        std::size_t ahead;
        std::unique_ptr<Wire> wire;
        std::unique_ptr<node::ManagerStage> stage{};
    };

    runtime::Pool& pool_;
    unsigned manager_host_;  ///< whose lcore polls the token managers
    runtime::TscClock clock_;
    std::vector<Manager> managers_;
    Wire detour_wire_{"detour"};
    std::optional<Detour> detour_;
    Traffic traffic_;
    std::unique_ptr<fabric::Switch> fabric_;
};

/// The end of a transport whose link leads to the fabric in the middle.
template <typename End>
class Through final : public End {
  public:
    template <typename... Arguments>
    Through(Middle& middle, unsigned host, Arguments&&... arguments)
        : End(std::forward<Arguments>(arguments)...), middle_(middle), host_(host) {}

    bool ready() noexcept {
        middle_.poll(host_);
        return End::ready();
    }
    bool poll() noexcept {
        const bool moved = End::poll();
        middle_.poll(host_);
        return moved;
    }

  private:
    Middle& middle_;
    unsigned host_;
};

}  // namespace isoplane::perf
