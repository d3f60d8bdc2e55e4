// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <memory>

#include "active_ledger.hh"
#include "niu_summary.hh"
#include "parts.hh"
#include "seeds.hh"
#include "star.hh"
#include "vanish.hh"

namespace isoplane::test {

namespace {

constexpr niu::NodeId kMortal = 0;  ///< the host that starts again, in some seeds

struct Plan {
    std::uint64_t seed = 0;
    niu::NodeId hosts = 0;
    unsigned requests = 0;  ///< of each host
    bool storm = false;     ///< as many at a time as can be, and hosts that do not listen for a while
    bool mortal = false;
    Climate climate{};
    active::Options active{};
    niu::Options niu{};
};

/// A program that requests all kinds of things of all others, and of itself.
class Program final : public runtime::Stage {
  public:
    Program(niu::NodeId node, sim::Link::End end, const Plan& plan, Ledger& ledger)
        : Stage("host" + std::to_string(node)),
          node_(node),
          end_(end),
          plan_(plan),
          ledger_(ledger),
          random_(plan.seed, 900 + node) {
        takes_from(end.input);
        gives_to(end.output);
        start();
    }

    void start() {
        niu::Options options = plan_.niu;
        options.node = node_;
        options.mac = {2, 0, 0, 0, 0, static_cast<std::uint8_t>(node_)};
        options.epoch = ++life_;
        left_ = plan_.requests;
        parts_ = std::make_unique<Parts>(end_, options, random_.below(2) == 0, wire::Protocol::kActive);
        active::Options active = plan_.active;
        active.node = node_;
        active.nodes = plan_.hosts;
        active.life = life_;
        active_ = std::make_unique<active::Active>(parts_->endpoint(), images_, active);
    }
    void die() {
        for (const auto& [request, number] : open_)
            ledger_.at(number).abandoned = true;
        open_.clear();
        active_.reset();
        parts_.reset();
    }
    std::size_t discard() override { return parts_ ? parts_->niu.discard() : 0; }

    bool finished() const { return parts_ && left_ == 0 && active_->open() == 0 && !active_->waiting(); }
    const niu::Niu& niu() const { return parts_->niu; }
    const active::Active& active() const { return *active_; }

    unsigned poll(Time now) override {
        if (!parts_) return vanish(end_.input);
        unsigned moved = parts_->poll(now);
        if (now < busy_until_) return moved;
        if (plan_.storm && random_.below(64) == 0) busy_until_ = now + some(random_, 200us);
        moved += active_->poll(now);
        for (active::Failure failure; active_->next_failure(failure);)
            note(failure);
        for (std::uint64_t tries = plan_.storm ? 64 : random_.below(4); left_ != 0 && tries > 0; --tries) {
            if (!request_something()) break;
            ++moved;
        }
        return moved;
    }

  private:
    using Key = std::tuple<niu::NodeId, std::uint8_t, std::uint16_t>;

    static Key key(const active::Ticket& request) { return {request.to, request.slot, request.number}; }

    /// Now and then this node.
    niu::NodeId somebody() {
        const auto node = static_cast<niu::NodeId>(random_.below(plan_.hosts));
        return node != node_ || random_.below(8) == 0 ? node : somebody();
    }

    std::size_t some_size() {
        const std::uint64_t kind = random_.below(100);
        return random_.below(kind < 2 ? 40'000 : kind < 20 ? 4000 : 200);
    }

    /// False when nobody wants one now.
    bool request_something() {
        using Kind = Entry::Kind;
        Entry entry{.kind = static_cast<Kind>(random_.below(6)), .from = node_, .to = somebody()};
        if (entry.kind != Kind::kWords && entry.kind != Kind::kSilent) {
            entry.data.resize(some_size());
            for (std::byte& byte : entry.data)
                byte = static_cast<std::byte>(random_.below(256));
            entry.landing.resize(entry.data.size());
        }
        const niu::NodeId to = entry.to;
        const std::uint64_t number = ledger_.open(std::move(entry));
        const active::Ticket request = send(ledger_.at(number), number);
        if (!request) {
            ledger_.at(number).abandoned = true;  // before it was sent
            const bool is_dead = request.refusal == active::Refusal::kDead;
            if (is_dead || (plan_.climate.parts() && to != node_ && is_given_up(niu(), to))) --left_;
            return false;
        }
        if (request.to != node_) open_[key(request)] = number;
        --left_;
        return true;
    }

    active::Ticket send(Entry& entry, std::uint64_t number) {
        const auto landing = reinterpret_cast<active::Word>(entry.landing.data());
        switch (entry.kind) {
            case Entry::Kind::kTransfer:
            case Entry::Kind::kSilentTransfer:
                return active_->transfer(entry.to, entry.data, landing, Ledger::on_request, number);
            case Entry::Kind::kGet:
                return active_->get(entry.to, reinterpret_cast<active::Word>(entry.data.data()),
                                    entry.landing, Ledger::on_reply, number);
            case Entry::Kind::kWords:
            case Entry::Kind::kSilent:
            case Entry::Kind::kFetch:
                break;
        }
        return active_->request(entry.to, Ledger::on_request, {number});
    }

    void note(const active::Failure& failure) {
        const auto found = open_.find(key(failure.request));
        if (found == open_.end()) return ledger_.complain("a request has failed that there was not");
        ledger_.at(found->second).failed = true;
        open_.erase(found);
    }

    niu::NodeId node_;
    sim::Link::End end_;
    const Plan& plan_;
    Ledger& ledger_;
    Random random_;
    unsigned left_ = 0;  ///< requests to be made in this life
    std::uint32_t life_ = 0;
    Time busy_until_{};
    active::Images images_;
    std::map<Key, std::uint64_t> open_;  ///< requests, by what they are called here; those that are over, too
    std::unique_ptr<Parts> parts_;
    std::unique_ptr<active::Active> active_;
};

struct Totals : Summary {
    std::uint64_t handled = 0;
    std::uint64_t acknowledgements = 0;
    std::uint64_t late = 0;
    std::uint64_t stray = 0;
    std::uint64_t failed = 0;
};

Plan some_plan(std::uint64_t seed, Random& random, const active::Planted& planted) {
    Plan plan{.seed = seed,
              .hosts = static_cast<niu::NodeId>(2 + random.below(3)),
              .requests = static_cast<unsigned>(10 + random.below(random.below(8) == 0 ? 400 : 60)),
              .storm = random.below(2) == 0,
              .mortal = random.below(4) == 0,
              .climate = Climate::of(seed, 5ms)};
    plan.active = {.depth = static_cast<unsigned>(1 + random.below(random.below(2) == 0 ? 3 : 64)),
                   .planted = planted};
    if (random.below(8) == 0) plan.active.limit = 200us;
    plan.niu = {.nodes = std::vector<std::string>(plan.hosts, "x"),
                .mtu = static_cast<std::uint16_t>(300 + random.below(1500)),
                .window = 4U << random.below(4),
                .timeout = {.initial = 1ms, .least = 100us, .most = 5ms},
                .silence = plan.climate.silence,
                .hello_every = 200us,
                .hello_limit = kHelloLimit};
    return plan;
}

/// Runs one seed. Says what went wrong; nothing when all was well.
std::string run(std::uint64_t seed, Totals& totals, const active::Planted& planted = {}) {
    Random random(seed, 1);
    const Plan plan = some_plan(seed, random, planted);
    Ledger ledger;
    sim::World world(seed, pool(), {.idle = 20us});
    Star<Program> star(world, seed, plan.climate, plan.hosts,
                       [&](niu::NodeId node, const sim::Link::End& end) {
                           return std::make_unique<Program>(node, end, plan, ledger);
                       });
    const auto& hosts = star.hosts;
    const auto over = [&] {
        return !ledger.complaint().empty() ||
               std::all_of(hosts.begin(), hosts.end(), [](const auto& host) { return host->finished(); });
    };
    if (plan.mortal) {
        world.run_until([&] { return hosts[kMortal]->niu().all_up(); }, 1s);
        world.run_until(over, some(random, 300us));
        hosts[kMortal]->die();
        world.run_for(some(random, random.below(2) == 0 ? 20us : 10ms));
        hosts[kMortal]->start();
    }
    const bool ended = world.run_until(over, 2s);
    std::string wrong = ledger.complaint();
    if (wrong.empty()) wrong = ended ? ledger.verdict() : "a request has no end";
    ++totals.seeds;
    star.weather->add_to(totals);
    const std::uint64_t given_up = totals.given_up;
    std::uint64_t failed = 0;
    for (const auto& host : hosts) {
        const active::Counters& counters = host->active().counters();
        totals.messages += counters.requests.get();
        totals.handled += counters.handled.get();
        totals.acknowledgements += counters.acknowledgements.get();
        totals.late += counters.late.get();
        totals.stray += counters.stray.get();
        failed += counters.failed.get();
        add_niu(totals, host->niu().counters());
        host->die();
    }
    totals.failed += failed;
    totals.parted += !plan.mortal && totals.given_up != given_up ? 1 : 0;
    for (const Entry& entry : ledger.entries()) {
        totals.bytes += entry.data.size();
        totals.largest = std::max<std::uint64_t>(totals.largest, entry.data.size());
    }
    const bool may_fail = plan.mortal || plan.climate.parts() || plan.active.limit < 1s;
    if (wrong.empty() && failed != 0 && !may_fail) wrong = "a request failed while all were well";
    world.drain();
    return wrong;
}

bool is_found(const active::Planted& planted) {
    Totals ignored;
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        if (!run(seed, ignored, planted).empty()) return true;
    }
    return false;
}

}  // namespace

TEST(ActiveSim, handlers_run_exactly_once_under_any_fault_and_nobody_waits_for_ever) {
    constexpr std::uint64_t kSeeds = 2000;
    Totals all;
    for_each_seed(kSeeds, [&](std::uint64_t seed) {
        EXPECT_EQ(run(seed, all), "");
        EXPECT_EQ(pool().in_use(), 0U);
    });
    std::cout << all << all.handled << " requests were handled, " << all.acknowledgements
              << " of them only acknowledged; " << all.late << " answers had to wait, " << all.stray
              << " came too late; " << all.failed << " requests failed\n";
    if (all.seeds < kSeeds) return;
    EXPECT_GT(all.handled, 50'000U);
    EXPECT_GT(all.late, 1000U);
    EXPECT_GT(all.stray, 100U);
    EXPECT_GT(all.failed, 1000U);
    expect_all_weather(all, kSeeds);
}

TEST(ActiveSim, finds_a_reply_that_is_forgotten_when_it_has_to_wait) {
    EXPECT_TRUE(is_found({.forget_replies = true}));
}

TEST(ActiveSim, finds_a_request_that_is_acknowledged_though_it_was_replied_to) {
    EXPECT_TRUE(is_found({.acknowledge_twice = true}));
}

TEST(ActiveSim, finds_a_handler_that_may_reply_when_it_should_not) {
    EXPECT_TRUE(is_found({.reply_anywhere = true}));
}

}  // namespace isoplane::test
