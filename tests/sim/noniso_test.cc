// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <iostream>
#include <memory>

#include "niu_summary.hh"
#include "parts.hh"
#include "script.hh"
#include "seeds.hh"
#include "star.hh"
#include "vanish.hh"

namespace isoplane::test {

namespace {

using niu::TransferState;
using noniso::BarrierState;

constexpr unsigned kHosts = 4;
constexpr unsigned kMortal = 3;  ///< the host that dies, in some seeds

/// What an observer of all hosts knows.
struct Chronicle {
    std::array<std::uint32_t, kHosts> entered{};  ///< barriers
    /// Messages from one host to another before its nth barrier.
    std::array<std::array<std::vector<std::uint64_t>, kHosts>, kHosts> sent_before{};
};

struct Plan {
    std::uint64_t seed = 0;
    std::uint32_t rounds = 0;  ///< of messages to all, and a barrier
    std::uint64_t most = 0;    ///< messages to each in a round
    Traffic traffic{.messages = 0, .large = 100, .medium = 200};
    Climate climate{};
    niu::Options options{};
};

/// A program: rounds of messages of all sizes to all others, with a barrier after each.
class Program final : public runtime::Stage {
  public:
    Program(niu::NodeId node, sim::Link::End end, const Plan& plan, Chronicle& chronicle)
        : Stage("host" + std::to_string(node)),
          node_(node),
          in_(takes_from(end.input)),
          plan_(plan),
          chronicle_(chronicle),
          random_(plan.seed, 700 + node) {
        gives_to(end.output);
        niu::Options options = plan.options;
        options.node = node;
        options.mac = {2, 0, 0, 0, 0, static_cast<std::uint8_t>(node)};
        parts_ = std::make_unique<Parts>(end, options, random_.below(2) == 0);
        for (unsigned i = 0; i < kHosts; ++i)
            ways_.push_back(
                {Script(plan.traffic, plan.seed, node, i), Script(plan.traffic, plan.seed, i, node)});
        begin_round();
    }
    ~Program() override { die(); }

    void die() { parts_.reset(); }
    bool dead() const { return parts_ == nullptr; }
    std::size_t discard() override { return dead() ? 0 : parts_->niu.discard(); }

    /// All rounds are through, or a death has ended them; and each message has its verdict.
    bool finished() const { return (rounds_ == plan_.rounds || broken_) && all_told(); }
    bool broken() const { return broken_; }
    std::uint32_t rounds() const { return rounds_; }
    std::uint64_t lost() const { return lost_; }
    const niu::Niu& niu() const { return parts_->niu; }
    const std::string& complaint() const { return complaint_; }

    unsigned poll(Time now) override {
        if (dead()) return vanish(in_);
        unsigned moved = parts_->poll(now);
        broken_ = broken_ || !niu().missing().empty();
        moved += listen(random_.below(8));
        for (Way& way : ways_)
            follow(way);
        switch (endpoint().barrier()) {
            case BarrierState::kRunning:
                return moved;
            case BarrierState::kBroken:
                broken_ = true;
                return moved;
            case BarrierState::kComplete:
                if (inside_) end_round();
                break;
            case BarrierState::kNone:
                break;
        }
        return moved + talk();
    }

  private:
    struct Message {
        niu::Ticket ticket;
        std::vector<std::byte> content;
    };
    struct Way {
        Script outgoing;
        Script incoming;
        std::uint64_t sent = 0;
        std::uint64_t to_send = 0;
        std::uint64_t received = 0;
        std::deque<Message> under_way{};
    };

    noniso::Endpoint& endpoint() { return parts_->endpoint(); }
    bool all_told() const {
        return std::all_of(ways_.begin(), ways_.end(), [](const Way& way) { return way.under_way.empty(); });
    }

    void begin_round() {
        for (unsigned i = 0; i < kHosts; ++i)
            ways_[i].to_send = i == node_ ? 0 : ways_[i].sent + random_.below(plan_.most + 1);
    }

    /// The barrier is complete: so all have entered it, and what they sent before is here.
    void end_round() {
        inside_ = false;
        while (listen(1000) != 0) {
        }
        for (unsigned i = 0; i < kHosts; ++i) {
            if (i == node_) continue;
            if (chronicle_.entered[i] <= rounds_)
                return complain("has passed a barrier before all were there");
            if (ways_[i].received < chronicle_.sent_before[i][node_][rounds_])
                return complain("has passed a barrier before what was sent ahead of it");
        }
        if (++rounds_ < plan_.rounds) begin_round();
    }

    unsigned talk() {
        if (inside_ || rounds_ == plan_.rounds) return 0;
        unsigned said = 0;
        bool all = true;
        for (niu::NodeId to = 0; to < kHosts; ++to) {
            Way& way = ways_[to];
            if (way.sent < way.to_send && say(to, way)) ++said;
            // What was for a dead one is not said; the barrier will tell.
            all = all && (way.sent == way.to_send || endpoint().state(to) == niu::PeerState::kDead);
        }
        if (!all || !endpoint().enter_barrier()) return said;
        inside_ = true;
        for (unsigned to = 0; to < kHosts; ++to)
            chronicle_.sent_before[node_][to].push_back(ways_[to].sent);
        ++chronicle_.entered[node_];
        return said + 1;
    }

    bool say(niu::NodeId to, Way& way) {
        Message message;
        message.content.resize(way.outgoing.size(way.sent));
        way.outgoing.write(way.sent, message.content);
        if (message.content.size() <= endpoint().max_message(to) && random_.below(2) == 0) {
            if (!endpoint().send(to, message.content)) return false;
        } else {
            message.ticket = endpoint().transfer(to, message.content);
            if (!message.ticket) return false;
            way.under_way.push_back(std::move(message));
        }
        ++way.sent;
        return true;
    }

    void follow(Way& way) {
        for (; !way.under_way.empty(); way.under_way.pop_front()) {
            const TransferState state = endpoint().state(way.under_way.front().ticket);
            if (state != TransferState::kArrived && state != TransferState::kLost) return;
            lost_ += state == TransferState::kLost ? 1 : 0;
        }
    }

    unsigned listen(std::uint64_t most) {
        unsigned n = 0;
        for (niu::Received part; n < most && endpoint().receive(part); ++n) {
            Way& way = ways_[part.source];
            if (part.size != way.incoming.size(way.received)) complain("got another message's size");
            if (!way.incoming.matches(way.received, part.offset, part.data))
                complain("got another message's content");
            if (part.offset + part.data.size() == part.size) ++way.received;
            endpoint().release(part);
        }
        return n;
    }

    void complain(const std::string& what) {
        if (complaint_.empty()) complaint_ = name() + " " + what;
    }

    niu::NodeId node_;
    runtime::Input& in_;
    const Plan& plan_;
    Chronicle& chronicle_;
    Random random_;
    std::vector<Way> ways_;
    std::uint32_t rounds_ = 0;
    bool inside_ = false;  ///< of a barrier
    bool broken_ = false;
    std::uint64_t lost_ = 0;
    std::string complaint_;
    std::unique_ptr<Parts> parts_;  ///< goes before what it sends from
};

struct Totals : Summary {
    std::uint64_t rounds = 0;
    std::uint64_t broken = 0;
    std::uint64_t transfers_lost = 0;
};

/// Runs one seed. Says what went wrong; nothing when all was well.
std::string run(std::uint64_t seed, Totals& totals) {
    Random random(seed, 1);
    Plan plan{.seed = seed,
              .rounds = static_cast<std::uint32_t>(2 + random.below(8)),
              .most = random.below(8),
              .climate = Climate::of(seed, 5ms)};
    plan.options = {.nodes = {"a", "b", "c", "d"},
                    .mtu = static_cast<std::uint16_t>(600 + random.below(1200)),
                    .window = 8U << random.below(4),
                    .transfers = static_cast<unsigned>(1 + random.below(8)),
                    .timeout = {.initial = 1ms, .least = 100us, .most = 5ms},
                    .silence = plan.climate.silence,
                    .hello_every = 200us,
                    .hello_limit = kHelloLimit};
    Chronicle chronicle;
    sim::World world(seed, pool(), {.idle = 20us});
    Star<Program> star(world, seed, plan.climate, kHosts, [&](niu::NodeId node, const sim::Link::End& end) {
        return std::make_unique<Program>(node, end, plan, chronicle);
    });
    const auto& hosts = star.hosts;
    const bool dies = random.below(2) == 0;
    if (dies) {
        world.run_until(
            [&] {
                return std::all_of(hosts.begin(), hosts.end(),
                                   [](const auto& host) { return host->niu().all_up(); });
            },
            1s);
        world.run_for(some(random, 1ms));
        hosts[kMortal]->die();
    }
    const std::uint64_t given_up = totals.given_up;
    const auto end = [&totals](Program& host) {
        totals.messages += host.niu().counters().messages_received.get();
        add_niu(totals, host.niu().counters());
        host.die();
    };
    const bool over = world.run_until(
        [&] {
            return std::all_of(hosts.begin(), hosts.end(), [&](const auto& host) {
                if (host->dead() || !host->complaint().empty()) return true;
                // A program that is told so ends: who has not given anybody up learns of it by that.
                if (host->finished() && host->broken()) end(*host);
                return host->dead() || host->finished();
            });
        },
        2s);
    for (const auto& host : hosts) {
        if (!host->complaint().empty()) return host->complaint();
        totals.rounds += host->rounds();
        totals.broken += host->broken() ? 1 : 0;
        totals.transfers_lost += host->lost();
    }
    if (!over) return "a round has no end";
    const bool may_break = dies || plan.climate.parts();
    if (!may_break && std::any_of(hosts.begin(), hosts.end(),
                                  [](const auto& host) { return host->broken() || host->lost() != 0; }))
        return "something broke without a death";
    ++totals.seeds;
    star.weather->add_to(totals);
    for (const auto& host : hosts)
        if (!host->dead()) end(*host);
    totals.parted += !dies && totals.given_up != given_up ? 1 : 0;
    world.drain();
    return {};
}

}  // namespace

TEST(NonisoSim, barriers_wait_for_all_hosts_and_for_what_they_sent_before_under_any_fault) {
    constexpr std::uint64_t kSeeds = 400;
    Totals all;
    for_each_seed(kSeeds, [&](std::uint64_t seed) {
        EXPECT_EQ(run(seed, all), "");
        EXPECT_EQ(pool().in_use(), 0U);
    });
    std::cout << all << all.rounds << " barriers were passed, " << all.broken << " broken, "
              << all.transfers_lost << " transfers lost with their receiver\n";
    if (all.seeds < kSeeds) return;
    EXPECT_GT(all.rounds, 1000U);
    EXPECT_GT(all.broken, 100U);
    EXPECT_GT(all.transfers_lost, 10U);
    expect_all_weather(all, kSeeds);
}

}  // namespace isoplane::test
