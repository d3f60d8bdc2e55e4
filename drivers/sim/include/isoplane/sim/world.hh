// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <isoplane/runtime/pool.hh>
#include <isoplane/runtime/stage.hh>
#include <isoplane/sim/link.hh>
#include <isoplane/sim/scheduler.hh>
#include <isoplane/sim/trace.hh>

namespace isoplane::sim {

/// A network of stages and links under virtual time, polled in an order that the seed draws: some react at
/// once, some late, some stall. Needs the EAL for mbufs, but no lcores.
///
/// - The same seed and the same calls do the same, frame by frame: trace_hash() says so.
/// - Stages added together are one unit, polled one after the other as on one lcore; they may be joined by
///   runtime::Ring. Stages of different units are joined by connect(), which knows when to wake whom.
/// - Stages belong to the caller, and go before the world.
class World {
  public:
    using Time = runtime::Time;
    using Duration = runtime::Duration;

    /// `pool` is where links take the memory for duplicates from.
    World(std::uint64_t seed, runtime::Pool& pool, const Pace& pace = {});
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    /// A link of this world; it lives as long as the world does.
    Link& connect(const std::string& name, const LinkModel& model = {});

    /// A unit of stages. Their inputs must be there already.
    template <typename... Stages>
    void add(Stages&... stages) {
        add_unit({&stages...});
    }
    void add_unit(std::vector<runtime::Stage*> stages);

    Time now() const noexcept { return scheduler_.now(); }

    void run_for(Duration duration) {
        const Time limit = now() + duration;
        while (step(limit)) {
        }
    }

    /// Runs until `done()` holds, looked at after each poll. Returns whether it did within `limit`.
    template <typename Predicate>
    bool run_until(Predicate&& done, Duration limit) {
        const Time last = now() + limit;
        while (!done()) {
            if (!step(last)) return done();
        }
        return true;
    }

    /// Quiets all stages and runs until no stage, link or ring holds a frame, for `limit` at the most.
    /// Frees what is left then and returns how many frames that were. Stages stay quiet.
    std::size_t drain(Duration limit = std::chrono::seconds{1});

    /// Over every frame that links have delivered: its time, its link, its bytes.
    std::uint64_t trace_hash() const noexcept { return trace_.hash(); }
    /// How many those were.
    std::uint64_t delivered() const noexcept { return trace_.frames(); }

  private:
    struct Unit {
        std::vector<runtime::Stage*> stages;
        std::vector<Channel*> arrivals;  ///< channels that its stages take frames from
    };

    bool step(Time limit);
    static Time next_arrival(const Unit& unit) noexcept;
    std::size_t held() const;
    std::size_t discard();

    runtime::Pool& pool_;
    Scheduler scheduler_;
    Trace trace_;
    std::uint64_t seed_;
    std::vector<std::unique_ptr<Link>> links_;
    std::unordered_map<const runtime::Input*, Channel*> channels_;
    std::vector<Unit> units_;  ///< numbered as the scheduler numbers them
};

}  // namespace isoplane::sim
