// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <isoplane/fabric/switch.hh>
#include <isoplane/niu/niu.hh>
#include <isoplane/sim/world.hh>
#include <isoplane/wire/hello.hh>
#include <memory>

#include "chance.hh"
#include "seeds.hh"
#include "talker.hh"

namespace isoplane::test {

namespace {

Impairment some_faults(Random& random) {
    return some_impairment(random, {.loss = 0.2,
                                    .duplicate = 0.2,
                                    .reorder = 0.3,
                                    .corrupt = 0.1,
                                    .delay = random.below(8) == 0 ? Duration{2ms} : Duration{20us},
                                    .jitter = 50us,
                                    .gap = 20,
                                    .hold = 100us});
}

niu::Options some_options(Random& random, niu::NodeId node, const std::vector<std::string>& names,
                          const niu::Planted& planted) {
    niu::Options options;
    options.node = node;
    options.nodes = names;
    options.job_key = 7;
    options.epoch = static_cast<std::uint32_t>(1 + random.below(1U << 31));
    options.mac = {2, 0, 0, 0, 0, static_cast<std::uint8_t>(node)};
    options.mtu = static_cast<std::uint16_t>(wire::kMinMtu + random.below(1900 - wire::kMinMtu));
    options.window = 1U << (2 + random.below(6));
    options.coalesce = random.below(4) != 0;
    options.ack_every = static_cast<unsigned>(1 + random.below(32));
    options.ack_delay = some(random, 50us);
    options.timeout = {.initial = 1ms, .least = 100us, .most = 5ms};
    options.hello_every = 200us;
    options.linger = 3ms;
    options.planted = planted;
    return options;
}

/// Hosts with an NIU and a talker each, joined by a switch, or directly if they are two and the seed says so.
class Network {
  public:
    Network(std::uint64_t seed, const niu::Planted& planted) : random_(seed, 1), world(seed, pool()) {
        const auto count = static_cast<unsigned>(2 + random_.below(5));
        const bool direct = count == 2 && random_.below(2) == 0;
        std::vector<std::string> names;
        for (unsigned i = 0; i < count; ++i)
            names.push_back("host" + std::to_string(i));
        std::vector<fabric::Port> ports;
        std::vector<sim::Link::End> ends;
        for (unsigned i = 0; i < (direct ? 1 : count); ++i) {
            sim::Link& link =
                world.connect(names[i], {.latency = 100ns + some(random_, 5us), .capacity = 256});
            ends.push_back(link.a());
            if (direct) {
                ends.push_back(link.b());
                direct_ = &link;
            }
            ports.push_back({link.b().input, link.b().output});
        }
        if (!direct) {
            fabric_ = std::make_unique<fabric::Switch>("fabric", ports, pool(),
                                                       fabric::SwitchOptions{.seed = seed, .capacity = 1024});
            world.add(*fabric_);
        }
        const std::uint64_t messages = 10 + random_.below(60);
        for (unsigned i = 0; i < count; ++i) {
            nius.push_back(std::make_unique<niu::Niu>(
                names[i], ends[i].input, ends[i].output, pool(),
                some_options(random_, static_cast<niu::NodeId>(i), names, planted)));
            talkers.push_back(std::make_unique<Talker>(*nius[i], i, count, seed, messages));
            world.add(*talkers[i], *nius[i]);
        }
    }

    /// Other faults than before; now and then a partition or a cut.
    void disturb() {
        if (direct_ != nullptr) {
            for (sim::Channel* way : {&direct_->a_to_b(), &direct_->b_to_a()}) {
                faults_ = some_faults(random_);
                faults_.cut = random_.below(8) == 0;
                way->set(faults_);
            }
            return;
        }
        for (unsigned i = 0; i < fabric_->ports(); ++i)
            fabric_->set(i, some_faults(random_));
        fabric::Partition groups(fabric_->ports(), 0);
        if (random_.below(4) == 0) groups[random_.below(groups.size())] = 1;
        fabric_->set_partition(groups);
    }
    void heal() {
        if (direct_ != nullptr) {
            faults_.cut = false;
            direct_->a_to_b().set(faults_);
            direct_->b_to_a().set(faults_);
        } else {
            fabric_->set_partition(fabric::Partition(fabric_->ports(), 0));
        }
    }

    void clear_faults() {
        if (direct_ != nullptr) {
            direct_->a_to_b().set({});
            direct_->b_to_a().set({});
        } else {
            for (unsigned i = 0; i < fabric_->ports(); ++i)
                fabric_->set(i, {});
        }
    }

    /// Lets all talk under changing faults, then leave. Returns what went wrong first; empty when nothing
    /// did.
    std::string run(Duration limit) {
        const auto finished = [this] {
            return std::all_of(talkers.begin(), talkers.end(), [](const auto& t) { return t->finished(); });
        };
        const auto complained = [this] {
            return std::any_of(talkers.begin(), talkers.end(),
                               [](const auto& t) { return !t->complaint().empty(); });
        };
        const auto over = [&] { return complained() || finished(); };
        for (unsigned change = 0; change < 8 && !over(); ++change) {
            disturb();
            world.run_until(over, some(random_, 1ms));
            heal();
            world.run_until(over, some(random_, 1ms));
        }
        world.run_until(over, limit);
        if (complained()) return complaint();
        if (!finished()) return "messages are missing";
        if (std::string wrong = check_credit(); !wrong.empty()) return wrong;
        disturb();
        heal();
        for (const auto& niu : nius)
            niu->close();
        world.run_until(
            [this] {
                return std::all_of(nius.begin(), nius.end(), [](const auto& n) { return n->closed(); });
            },
            limit);
        for (const auto& niu : nius) {
            if (!niu->closed() || !niu->left_open().empty()) return niu->name() + " did not close";
        }
        if (world.drain() != 0) return "frames are left";
        return complaint();
    }

    Random random_;
    sim::World world;
    std::unique_ptr<fabric::Switch> fabric_;
    sim::Link* direct_ = nullptr;
    Impairment faults_;  ///< of the direct link
    std::vector<std::unique_ptr<niu::Niu>> nius;
    std::vector<std::unique_ptr<Talker>> talkers;

  private:
    std::string complaint() const {
        for (const auto& talker : talkers) {
            if (!talker->complaint().empty()) return talker->complaint();
        }
        return {};
    }

    /// Every frame received has given its credit back, and what its sender has not been told yet is less than
    /// what would be worth a frame. The last words are said without faults, as an update that is lost while
    /// nobody waits for it is made good by the next frame.
    std::string check_credit() {
        clear_faults();
        for (const auto& talker : talkers)
            talker->say_more(1);
        const auto finished = [this] {
            return std::all_of(talkers.begin(), talkers.end(), [](const auto& t) { return t->finished(); });
        };
        if (!world.run_until(finished, 5s)) return "the last words are missing";
        world.run_for(1ms);
        for (unsigned i = 0; i < nius.size(); ++i) {
            for (unsigned j = 0; j < nius.size(); ++j) {
                if (i == j) continue;
                const niu::Peer& receiver = nius[j]->peer(static_cast<niu::NodeId>(i));
                const niu::Peer& sender = nius[i]->peer(static_cast<niu::NodeId>(j));
                if (receiver.grant.released() != receiver.in.expected() || receiver.held != 0)
                    return "credit is missing at its giver";
                if (!sender.out.empty()) return "a frame was never acknowledged";
                const auto untold =
                    static_cast<unsigned>(niu::distance(sender.allowance.limit(), receiver.grant.limit()));
                const auto window = receiver.grant.limit() - receiver.grant.released();
                if (untold >= (window + 3) / 4) return "credit is missing at its user";
            }
        }
        return {};
    }
};

std::string run(std::uint64_t seed, const niu::Planted& planted = {}, Duration limit = 5s) {
    std::string wrong;
    {
        Network network(seed, planted);
        wrong = network.run(limit);
    }
    if (wrong.empty() && pool().in_use() != 0) wrong = "packets leaked";
    return wrong;
}

/// Whether a run with the defect goes wrong within the seeds that are run by default.
bool is_found(const niu::Planted& planted, std::uint64_t seeds) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        if (!run(seed, planted, 100ms).empty()) return true;
    }
    return false;
}

constexpr std::uint64_t kSeeds = 60;

}  // namespace

TEST(NiuSim, every_message_arrives_once_in_order_and_intact_under_any_fault) {
    for_each_seed(kSeeds, [](std::uint64_t seed) {
        EXPECT_EQ(run(seed), "");
        EXPECT_EQ(pool().in_use(), 0U);
    });
}

TEST(NiuSim, a_forgotten_retransmission_is_found) {
    EXPECT_TRUE(is_found({.never_resend = true}, kSeeds));
    EXPECT_EQ(pool().in_use(), 0U);
}

TEST(NiuSim, a_duplicate_that_is_delivered_is_found) {
    EXPECT_TRUE(is_found({.deliver_duplicates = true}, kSeeds));
    EXPECT_EQ(pool().in_use(), 0U);
}

TEST(NiuSim, a_credit_that_is_kept_is_found) {
    EXPECT_TRUE(is_found({.keep_credit = true}, kSeeds));
    EXPECT_EQ(pool().in_use(), 0U);
}

}  // namespace isoplane::test
