// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <isoplane/niu/niu.hh>
#include <isoplane/tm/token_manager.hh>
#include <isoplane/topology/paths.hh>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace isoplane::node {

/// A topology and the ways through it, for all token managers of a node.
struct Ways {
    explicit Ways(topology::Topology network) : topology(std::move(network)), paths(topology) {}
    Ways(const Ways&) = delete;
    Ways& operator=(const Ways&) = delete;

    topology::Topology topology;
    topology::Paths paths;
};

/// A token manager and the NIU by which it speaks, as one stage: whatever worker it is placed on, both are.
class ManagerStage final : public runtime::Stage {
  public:
    ManagerStage(const std::string& name, runtime::Input& from, runtime::Output& to, runtime::Pool& pool,
                 std::shared_ptr<const Ways> ways, const niu::Options& options, std::uint32_t ahead)
        : Stage(name),
          ways_(std::move(ways)),
          niu_(name, from, to, pool, options),
          manager_(name, niu_, ways_->paths, options.node, {.epoch = options.epoch, .ahead = ahead}) {
        takes_from(from);
        gives_to(to);
    }

    unsigned poll(runtime::Time now) override {
        const unsigned moved = niu_.poll(now);
        return is_alone() ? moved : moved + manager_.poll(now);
    }
    void set_quiet(bool quiet) override {
        niu_.set_quiet(quiet);
        manager_.set_quiet(quiet);
    }
    std::size_t held() const override { return niu_.held(); }
    std::size_t discard() override { return niu_.discard(); }
    void clear_counters() override { niu_.clear_counters(); }
    void describe(nlohmann::json& out) const override {
        manager_.describe(out);
        nlohmann::json niu;
        niu_.describe(niu);
        // All else is about messages, which it neither sends nor receives.
        for (const char* key : {"no_packets", "rejected"})
            if (niu.contains(key)) out[key] = niu[key];
    }

    const tm::TokenManager& manager() const noexcept { return manager_; }

  private:
    /// The first tokens are out, and nobody has been heard but other token managers with theirs, as in a job
    /// that does not use logical time. Then they are not sent again: who wants them sends its own until they
    /// come.
    bool is_alone() const noexcept {
        const tm::ExchangeCounters& counters = manager_.counters();
        const std::uint64_t heard = counters.received.get() + counters.duplicates.get() +
                                    counters.beyond.get() + counters.stale_epoch.get();
        return manager_.sent() != 0 && heard <= unprompted_;
    }
    /// Tokens that other token managers send this one in any case.
    std::uint64_t unprompted() const {
        const auto neighbours = ways_->topology.token_neighbours(niu_.options().node);
        const auto managers = std::ranges::count_if(
            neighbours, [this](niu::NodeId node) { return !ways_->topology.is_host(node); });
        return static_cast<std::uint64_t>(managers) * manager_.options().ahead;
    }

    std::shared_ptr<const Ways> ways_;
    niu::Niu niu_;
    tm::TokenManager manager_;
    std::uint64_t unprompted_ = unprompted();
};

}  // namespace isoplane::node
