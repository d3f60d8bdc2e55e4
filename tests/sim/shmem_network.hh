// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/fabric/switch.hh>
#include <isoplane/noniso/direct_endpoint.hh>
#include <isoplane/sim/world.hh>
#include <isoplane/tm/token_manager.hh>
#include <memory>

#include "chance.hh"
#include "shmem_program.hh"
#include "sim/host.hh"
#include "sim/scenario.hh"
#include "summary.hh"

namespace isoplane::test {

using topology::NodeId;

/// A host with shared memory and its program, and perhaps a token manager beside it.
class ShmemHost final : public runtime::Stage {
  public:
    struct Setting {
        const topology::Paths& paths;
        const topology::ShmemMap& map;
        siu::SiuOptions siu{};
        shmem::Planted planted{};
        std::uint64_t seed = 0;
        unsigned isochrons = 0;
        bool misleads = false;  ///< sends others markers, which hosts send themselves only
    };

    ShmemHost(const std::string& name, const sim::Link::End& end, const niu::Options& options,
              const Setting& setting, std::vector<Record>& records)
        : Stage(name),
          niu_(name, end.input, end.output, pool(), options),
          dispatcher_(niu_),
          siu_(niu_, setting.paths, setting.siu),
          isotach_(niu_, siu_, pool()),
          barrier_(niu_),
          answers_(niu_, barrier_, wire::Protocol::kShmem),
          memory_(shmem::Pages(setting.map, setting.paths, options.node, kExtent), isotach_, answers_,
                  {.planted = setting.planted}),
          program_(memory_, options.node, static_cast<std::uint16_t>(setting.paths.topology().host_count()),
                   setting.seed, setting.isochrons, records),
          hosts_(static_cast<NodeId>(setting.paths.topology().host_count())),
          misleads_(setting.misleads) {
        takes_from(end.input);
        gives_to(end.output);
        isotach_.attach_to(dispatcher_);
        // Some find what has come in the next poll of their memory, as those with an lcore do.
        niu::Receiver* const now = &memory_;
        dispatcher_.attach(wire::Protocol::kShmem, setting.seed % 4 == 0 ? &answers_ : now);
    }

    void put_beside(const topology::Paths& paths, niu::NodeId node, tm::ExchangeOptions options) {
        options.epoch = niu_.options().epoch;
        manager_ = std::make_unique<tm::TokenManager>(niu_, paths, node, std::move(options));
    }

    unsigned poll(runtime::Time now) override {
        unsigned moved = niu_.poll(now);
        moved += dispatcher_.dispatch();
        if (!memory_.hurries()) moved += isotach_.poll(now);
        if (siu_.started()) moved += program_.poll();
        if (misleads_ && siu_.started() && !program_.has_finished()) mislead();
        return moved;
    }
    void set_quiet(bool quiet) override {
        niu_.set_quiet(quiet);
        siu_.be_quiet(quiet);
        if (manager_) manager_->be_quiet(quiet);
    }
    std::size_t held() const override { return niu_.held(); }
    std::size_t discard() override { return isotach_.discard() + niu_.discard(); }

    niu::Niu& niu() noexcept { return niu_; }
    const isotach::Counters& isotach() const noexcept { return isotach_.counters(); }
    const shmem::Memory& memory() const noexcept { return memory_; }
    const ShmemProgram& program() const noexcept { return program_; }
    std::uint64_t misled() const noexcept { return misled_; }
    bool rests() const { return program_.has_finished() && isotach_.settled() && !isotach_.waiting(); }

  private:
    void mislead() {
        isotach::Isochron markers(pool());
        for (NodeId to = 0; to < hosts_; ++to)
            if (to != niu_.options().node) markers.add(to, 0, wire::Operation::kMarker);
        const std::size_t count = markers.size();
        if (count != 0 && isotach_.send(markers)) misled_ += count;
    }

    niu::Niu niu_;
    niu::Dispatcher dispatcher_;
    siu::Siu siu_;
    isotach::Isotach isotach_;
    noniso::Barrier barrier_;
    noniso::DirectEndpoint answers_;
    shmem::Memory memory_;
    ShmemProgram program_;
    NodeId hosts_;
    bool misleads_;
    std::uint64_t misled_ = 0;
    std::unique_ptr<tm::TokenManager> manager_;
};

/// What the seeds of a test have met.
struct ShmemTotals {
    std::uint64_t seeds = 0;
    std::uint64_t isochrons = 0;
    std::uint64_t accesses = 0;
    std::uint64_t at_once = 0;
    std::uint64_t blocked = 0;
    std::uint64_t answers = 0;
    std::uint64_t given_away = 0;
    Summary faults{};
    std::uint64_t misled = 0;
};

/// The hosts of a scenario, with shared memory of copysets at random, on one Ethernet with its faults.
class ShmemNetwork {
  public:
    /// Where `misleads`, the last host does so.
    ShmemNetwork(const sim::Scenario& scenario, shmem::Planted planted, bool misleads = false);

    /// What has gone wrong, in a sentence; empty when nothing has.
    std::string run(Duration limit);
    void add_to(ShmemTotals& totals) const;

  private:
    sim::Link::End connect(const std::string& name);
    topology::ShmemMap some_map();
    bool all_rest() const;
    std::string where_it_stands() const;
    std::string compare_copies(const Words& memory) const;
    std::string leave(Duration limit);

    sim::Scenario scenario_;
    Random random_;
    topology::Topology topology_;
    topology::Paths paths_;
    topology::ShmemMap map_;
    sim::World world_;
    std::vector<fabric::Port> ports_;
    std::unique_ptr<fabric::Switch> fabric_;
    ShmemHistory history_;
    std::vector<std::unique_ptr<ShmemHost>> hosts_;
    std::vector<std::unique_ptr<sim::Manager>> managers_;
};

}  // namespace isoplane::test
