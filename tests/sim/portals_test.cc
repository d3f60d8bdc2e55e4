// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// Portals over NIUs whose network has every fault, on one plane or several.
#include <gmock/gmock-matchers.h>

#include <iostream>

#include "niu_summary.hh"
#include "portals_process.hh"
#include "seeds.hh"
#include "star.hh"

namespace isoplane::test {

namespace {

struct Totals : Summary {
    std::uint64_t failed = 0;
    std::uint64_t pulls = 0;
    std::uint64_t referred = 0;
    std::uint64_t read = 0;
    std::uint64_t withheld = 0;
    std::uint64_t planes_lost = 0;
    unsigned left = 0;  ///< seeds in which a host did so, with several planes in use
};

/// What one of the hosts does before the others have done with it.
enum class End { kNone, kDies, kCloses, kLeaves };

End some_end(Random& random) {
    constexpr End kEnds[] = {End::kDies, End::kDies, End::kCloses, End::kLeaves};
    const std::uint64_t which = random.below(8);
    return which < std::size(kEnds) ? kEnds[which] : End::kNone;
}

/// The hosts of a seed, each with a port on every plane.
struct Job {
    Job(sim::World& world, const Plan& plan, Random& random, const Meddling& meddling) {
        for (std::size_t i = 0; i < plan.planes; ++i) {
            Plan its = plan;
            if (i > 0)
                its.niu.window = 1U << random.below(8);  // more may be under way on one than on another
            planes.push_back(std::make_unique<Star<Port>>(world, plan.seed + i, plan.climate, kHosts,
                                                          [&](niu::NodeId node, const sim::Link::End& end) {
                                                              return std::make_unique<Port>(node, end, its);
                                                          }));
        }
        for (niu::NodeId node = 0; node < kHosts; ++node) {
            std::vector<nal::OverNiu::Plane> its;
            for (const auto& plane : planes)
                its.push_back(plane->hosts[node]->plane());
            processes.push_back(std::make_unique<Process>(node, its, plan, meddling));
            world.add(*processes.back());
        }
    }
    ~Job() {
        for (unsigned node = 0; node < kHosts; ++node)
            die(node);
    }

    void die(unsigned node) {
        processes[node]->die();
        for (const auto& plane : planes)
            plane->hosts[node]->die();
    }
    /// Has it say goodbye on all planes once all that it has to say is in frames. True when it is gone.
    bool leave(unsigned node) {
        if (gone) return true;
        const bool idle = processes[node]->nal().idle();
        bool closed = true;
        for (const auto& plane : planes) {
            if (idle) plane->hosts[node]->leave();
            closed = closed && plane->hosts[node]->niu().closed();
        }
        if (closed) die(node);
        return gone = closed;
    }

    /// One of the two has given up the other, and no plane joins them: on one that was cut from the beginning
    /// they have never met.
    bool are_apart(niu::NodeId a, niu::NodeId b) const {
        const auto is_dead = [](const Port& port, niu::NodeId other) {
            return port.niu().state(other) == niu::PeerState::kDead;
        };
        const auto is_up = [](const Port& port, niu::NodeId other) {
            return port.niu().state(other) == niu::PeerState::kUp;
        };
        bool given_up = false;
        bool joined = false;
        for (const auto& plane : planes) {
            given_up |= is_dead(*plane->hosts[a], b) || is_dead(*plane->hosts[b], a);
            joined |= is_up(*plane->hosts[a], b) && is_up(*plane->hosts[b], a);
        }
        return given_up && !joined;
    }

    bool gone = false;
    std::vector<std::unique_ptr<Star<Port>>> planes;
    std::vector<std::unique_ptr<Process>> processes;
};

/// The hosts of which one lives that long, and who of them can have heard each other.
struct Fates {
    const Job& job;
    End end;

    bool lives(unsigned node) const { return end == End::kNone || node != kMortal; }
    bool has_gone(unsigned node) const {
        return (end == End::kDies || end == End::kLeaves) && node == kMortal;
    }
    bool are_apart(unsigned a, unsigned b) const {
        return !has_gone(a) && !has_gone(b) &&
               job.are_apart(static_cast<niu::NodeId>(a), static_cast<niu::NodeId>(b));
    }
    /// Of the second, as the first sees it.
    Process::Fate of(unsigned node, unsigned other) const {
        if (has_gone(other)) return end == End::kDies ? Process::Fate::kHasDied : Process::Fate::kHasLeft;
        if (are_apart(node, other)) return Process::Fate::kHasDied;
        return lives(other) ? Process::Fate::kLives : Process::Fate::kHasClosed;
    }
    bool any_are_apart() const { return are_apart(0, 1) || are_apart(0, 2) || are_apart(1, 2); }
};

/// Runs one seed. Says what went wrong; nothing when all was well.
std::string run(std::uint64_t seed, Totals& totals, const Meddling& meddling = {}) {
    Random random(seed, 1);
    const Plan plan = some_plan(seed, random, true);
    sim::World world(seed, pool(), {.idle = 20us});
    Job job(world, plan, random, meddling);
    const End end = some_end(random);
    if (end != End::kNone) world.run_for(some(random, 5ms));
    if (end == End::kDies) job.die(kMortal);
    if (end == End::kCloses || end == End::kLeaves) job.processes[kMortal]->close();
    const bool may_lose_plane = end == End::kNone || end == End::kLeaves;
    const bool loses_plane = plan.planes > 1 && may_lose_plane && random.below(2) == 0;
    if (loses_plane) {
        // Between two hosts, in one direction or in both; of three, perhaps the next one, too, before what
        // the first has left behind is through.
        const std::size_t first = random.below(plan.planes);
        const std::size_t many = plan.planes > 2 ? 1 + random.below(2) : 1;
        for (std::size_t i = 0; i < many; ++i) {
            world.run_for(some(random, 5ms));
            job.planes[(first + i) % plan.planes]->weather->cut_for_good(
                static_cast<unsigned>(random.below(kHosts)));
            ++totals.planes_lost;
        }
    }
    const Fates fates{job, end};
    const auto over = [&] {
        if (end == End::kLeaves && !job.leave(kMortal)) return false;
        for (niu::NodeId node = 0; node < kHosts; ++node) {
            if (fates.has_gone(node)) continue;
            if (!job.processes[node]->complaint().empty()) return true;
            if (!job.processes[node]->nal().idle()) return false;
            if (!fates.lives(node)) continue;
            for (niu::NodeId other = 0; other < kHosts; ++other)
                if (!job.processes[node]->finished(other, fates.of(node, other))) return false;
        }
        return true;
    };
    const bool finished = world.run_until(over, 4s);
    for (unsigned node = 0; node < kHosts; ++node) {
        const Process& process = *job.processes[node];
        if (!process.complaint().empty()) return process.complaint();
        if (!fates.lives(node)) continue;
        totals.failed += process.failed();
        totals.bytes += process.bytes();
        totals.messages += process.nal().counters().begun.get();
        totals.pulls += process.nal().counters().pulls.get();
        totals.read += process.nal().counters().read.get();
        totals.referred += process.nal().counters().referred.get();
        totals.withheld += process.nal().counters().withheld.get();
        totals.largest = std::max(totals.largest, process.largest());
        for (const auto& plane : job.planes)
            add_niu(totals, plane->hosts[node]->niu().counters());
    }
    if (!finished) return "not all has come to an end";
    const bool apart = fates.any_are_apart();
    if (apart && !plan.climate.parts()) return "one that lives was given up";
    const auto to_be_dropped = [&](unsigned node) {
        std::uint64_t n = 0;
        for (const auto& process : job.processes)
            n += process->to_be_dropped_by(static_cast<niu::NodeId>(node));
        return n;
    };
    for (unsigned node = 0; node < kHosts && end == End::kNone && !apart; ++node) {
        const Process& process = *job.processes[node];
        if (process.failed() != 0) return "something failed though nobody died";
        // Of what is dropped nobody hears when it has arrived.
        if (!world.run_until([&] { return process.dropped() == to_be_dropped(node); }, 100ms))
            return "drops were counted wrong";
    }
    for (unsigned node = 0; node < kHosts; ++node) {
        for (unsigned other = 0; other < kHosts; ++other) {
            const Process& asks = *job.processes[node];
            const Process& is_asked = *job.processes[other];
            if (!fates.lives(node) || !fates.lives(other)) continue;
            if (!asks.agrees_with(is_asked)) return "something is in a wrong place";
            if (fates.are_apart(node, other)) continue;
            if (!world.run_until([&] { return asks.is_done_by(is_asked); }, 100ms))
                return "somebody was not told of all that was done";
            if (!is_asked.complaint().empty()) return is_asked.complaint();
        }
    }
    ++totals.seeds;
    totals.parted += apart ? 1 : 0;
    totals.left += end == End::kLeaves && plan.planes > 1 ? 1 : 0;
    for (const auto& plane : job.planes)
        plane->weather->add_to(totals);
    for (unsigned node = 0; node < kHosts; ++node)
        job.die(node);
    world.drain();
    return {};
}

/// What is found of meddling in the first seeds; nothing when nothing is.
std::string finds(const Meddling& meddling) {
    constexpr std::uint64_t kEnough = 20;
    Totals ignored;
    for (std::uint64_t seed = 1; seed <= kEnough; ++seed)
        if (const std::string wrong = run(seed, ignored, meddling); !wrong.empty()) return wrong;
    return {};
}

}  // namespace

TEST(PortalsSim, every_operation_does_what_it_is_to_do_once_or_fails_with_its_peer) {
    constexpr std::uint64_t kSeeds = 300;
    Totals all;
    pool();
    for_each_seed(kSeeds, [&](std::uint64_t seed) {
        EXPECT_EQ(run(seed, all), "");
        EXPECT_EQ(pool().in_use(), 0U);
    });
    std::cout << all << all.pulls << " pulls, " << all.referred / 1'000'000 << " MB not copied, "
              << all.read / 1'000'000 << " MB read, " << all.withheld << " requests withheld, " << all.failed
              << " operations failed with their peer, " << all.left << " hosts left several planes\n";
    if (all.seeds < kSeeds) return;
    EXPECT_GT(all.planes_lost, 10U);
    EXPECT_GT(all.pulls, 1000U);
    EXPECT_GT(all.withheld, 100U);
    EXPECT_GT(all.referred, 1'000'000U);
    EXPECT_GT(all.read, 1'000'000U);
    EXPECT_GT(all.failed, 20U);
    EXPECT_GT(all.left, 10U);
    expect_all_weather(all, kSeeds);
}

TEST(PortalsSim, finds_an_operation_that_overtakes) {
    EXPECT_THAT(finds({.overtakes = true}), testing::EndsWith("was asked twice, or out of turn"));
}

TEST(PortalsSim, finds_an_operation_that_comes_twice) {
    EXPECT_THAT(finds({.repeats = true}), testing::EndsWith("was asked twice, or out of turn"));
}

TEST(PortalsSim, finds_other_header_data) {
    EXPECT_THAT(finds({.alters = true}), testing::EndsWith("was told of other header data"));
}

}  // namespace isoplane::test
