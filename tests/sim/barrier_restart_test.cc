// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <memory>

#include "niu_summary.hh"
#include "parts.hh"
#include "seeds.hh"
#include "star.hh"
#include "vanish.hh"

namespace isoplane::test::barrier_restart {

namespace {

using noniso::BarrierState;
using runtime::Time;

constexpr unsigned kHosts = 4;  ///< of which the first never dies

/// When a life of a host entered its barriers, and passed them, among all that happens anywhere.
struct Life {
    std::vector<std::uint64_t> entered{};
    std::vector<std::uint64_t> passed{};
};

/// What an observer of all hosts knows.
struct Chronicle {
    std::uint64_t events = 0;
    std::array<bool, kHosts> inside{};  ///< a barrier
    std::array<bool, kHosts> dead{};
    bool ending = false;
    bool over = false;

    bool any_inside() const { return std::ranges::find(inside, true) != inside.end(); }
    /// At the end only those enter for whom somebody waits: so all come to rest at the same barrier.
    bool wants(unsigned node) const { return !over && !inside[node] && (!ending || any_inside()); }
};

/// A host that goes from barrier to barrier, and can crash and start again.
class Host final : public runtime::Stage {
  public:
    Host(niu::NodeId node, sim::Link::End end, std::uint64_t seed, Chronicle& chronicle)
        : Stage("host" + std::to_string(node)),
          node_(node),
          end_(end),
          random_(seed, 900 + node),
          chronicle_(chronicle) {
        takes_from(end.input);
        gives_to(end.output);
        start();
    }
    ~Host() override { crash(); }

    void start() {
        chronicle_.dead[node_] = false;
        life_ = {};
        const niu::Options options{.node = node_,
                                   .nodes = {"a", "b", "c", "d"},
                                   .epoch = ++epoch_,
                                   .mac = {2, 0, 0, 0, 0, static_cast<std::uint8_t>(node_)},
                                   .window = 32,
                                   .timeout = {.initial = 1ms, .least = 100us, .most = 5ms},
                                   .silence = 5ms,
                                   .displace = 2ms,
                                   .hello_every = 200us,
                                   .linger = 5ms};
        parts_ = std::make_unique<Parts>(end_, options, random_.below(2) == 0, wire::Protocol::kNoniso,
                                         noniso::Loss::kLeavesOut);
        parts_->barrier.count_as_lost([this](niu::NodeId node) { return chronicle_.dead[node]; });
    }
    void crash() {
        chronicle_.dead[node_] = true;
        chronicle_.inside[node_] = false;
        parts_.reset();
    }
    bool dead() const { return parts_ == nullptr; }
    std::size_t discard() override { return dead() ? 0 : parts_->niu.discard(); }

    niu::Niu& niu() { return parts_->niu; }
    const Life& life() const { return life_; }

    unsigned poll(Time now) override {
        if (dead()) return vanish(end_.input);
        const unsigned moved = parts_->poll(now);
        if (chronicle_.inside[node_] && parts_->endpoint().barrier() == BarrierState::kComplete) {
            chronicle_.inside[node_] = false;
            life_.passed.push_back(++chronicle_.events);
            enter_at_ = now + 1us + some(random_, random_.below(8) == 0 ? 3ms : 200us);
        }
        if (now >= enter_at_ && chronicle_.wants(node_)) enter();
        return moved;
    }
    void enter() {
        ASSERT_TRUE(parts_->endpoint().enter_barrier());
        chronicle_.inside[node_] = true;
        life_.entered.push_back(++chronicle_.events);
    }

  private:
    niu::NodeId node_;
    sim::Link::End end_;
    Random random_;
    Chronicle& chronicle_;
    Life life_;
    Time enter_at_{};
    std::uint32_t epoch_ = 0;
    std::unique_ptr<Parts> parts_;
};

struct Totals : Summary {
    std::uint64_t barriers = 0;
    std::uint64_t lives = 0;
};

class Network {
  public:
    explicit Network(std::uint64_t seed)
        : random_(seed, 1),
          world_(seed, pool(), {.idle = 20us}),
          star_(world_, seed, random_, kHosts, [&](niu::NodeId node, const sim::Link::End& end) {
              return std::make_unique<Host>(node, end, seed, chronicle_);
          }) {}
    ~Network() {
        for (const auto& host : star_.hosts)
            host->crash();
        world_.drain();
    }

    /// Says what went wrong; nothing when all was well.
    std::string run(Totals& totals) {
        for (auto deaths = 2 + random_.below(6); deaths > 0; --deaths) {
            world_.run_for(some(random_, 4ms));
            Host& mortal = *star_.hosts[1 + random_.below(kHosts - 1)];
            if (!mortal.dead()) mortal.crash();
            // Whether or not it is missed before it is back; or not before another is, or never.
            world_.run_for(some(random_, random_.below(2) == 0 ? 500us : 20ms));
            if (random_.below(4) == 0) continue;
            mortal.start();
            ++totals.lives;
        }
        if (!each_passes(3)) return "a barrier has no end";
        chronicle_.ending = true;
        if (!world_.run_until([&] { return !chronicle_.any_inside(); }, 1s))
            return "they do not come to rest";
        if (const std::string wrong = look_back(); !wrong.empty()) return wrong;
        totals.barriers += star_.hosts[0]->life().passed.size();
        return close();
    }

    void add_to(Totals& totals) const {
        ++totals.seeds;
        for (const auto& host : star_.hosts)
            if (!host->dead()) add_niu(totals, host->niu().counters());
        totals.add(*star_.fabric);
    }

  private:
    bool all_living(auto&& claim) const {
        return std::ranges::all_of(star_.hosts,
                                   [&](const auto& host) { return host->dead() || claim(*host); });
    }

    /// So many barriers in its present life.
    bool each_passes(std::size_t most) {
        return world_.run_until(
            [&] { return all_living([&](const Host& host) { return host.life().passed.size() >= most; }); },
            1s);
    }

    /// All have passed the same barrier last. From there back, none may have passed one before all were in
    /// that have it.
    std::string look_back() const {
        for (const auto& one : star_.hosts) {
            for (const auto& other : star_.hosts) {
                if (one->dead() || other->dead()) continue;
                const auto& passed = one->life().passed;
                const auto& entered = other->life().entered;
                const std::size_t common = std::min(passed.size(), entered.size());
                for (std::size_t back = 1; back <= common; ++back)
                    if (passed[passed.size() - back] < entered[entered.size() - back])
                        return one->name() + " has passed a barrier before " + other->name() + " was there";
            }
        }
        return {};
    }

    /// One has a barrier more than the others, who close before.
    std::string close() {
        chronicle_.over = true;
        Host& last = *star_.hosts.front();
        for (const auto& host : star_.hosts)
            if (!host->dead() && host.get() != &last) host->niu().close();
        last.enter();
        if (!world_.run_until([&] { return !chronicle_.inside[0]; }, 1s))
            return "it waits for who has closed";
        last.niu().close();
        const auto closed = [&] { return all_living([](Host& host) { return host.niu().closed(); }); };
        return world_.run_until(closed, 1s) ? "" : "they do not close";
    }

    Random random_;
    Chronicle chronicle_;
    sim::World world_;
    Star<Host> star_;
};

}  // namespace

TEST(BarrierRestart, all_pass_the_same_barriers_however_often_hosts_die_and_return) {
    Totals all;
    constexpr std::uint64_t kSeeds = 150;
    std::uint64_t seeds = 0;
    for_each_seed(kSeeds, [&](std::uint64_t seed) {
        ++seeds;
        {
            Network network(seed);
            EXPECT_EQ(network.run(all), "");
            network.add_to(all);
        }
        EXPECT_EQ(pool().in_use(), 0U);
    });
    std::cout << all << all.barriers << " barriers were passed, " << all.lives << " hosts came back\n";
    if (seeds < kSeeds) return;
    EXPECT_GT(all.lives, kSeeds / 2);
    for (const std::uint64_t fault : {all.lost, all.duplicated, all.reordered, all.late})
        EXPECT_GT(fault, kSeeds);
}

}  // namespace isoplane::test::barrier_restart
