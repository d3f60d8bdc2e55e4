// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// More senders than a wire has room for: what it carries meanwhile, and what has to be sent again.

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <iostream>
#include <isoplane/fabric/switch.hh>
#include <isoplane/niu/niu.hh>
#include <isoplane/sim/world.hh>
#include <memory>

#include "chance.hh"

namespace isoplane::test::niu_crowd {

using runtime::Time;

namespace {

constexpr std::size_t kSize = 1400;
constexpr std::size_t kOnTheWire =
    kSize + wire::kMessageHeaderSize + wire::kHeaderSize + wire::kEthernetSize + 24;

struct Crowd {
    unsigned senders;
    std::uint64_t rate;  ///< bit/s of the wire to the receiver
    unsigned queue;      ///< frames that its port holds
    double loss = 0;     ///< on all wires
    std::uint64_t messages;
};

/// Sends all it has to host 0 as fast as it may; host 0 listens.
class Member final : public runtime::Stage {
  public:
    Member(niu::Niu& niu, niu::NodeId node, std::uint64_t messages)
        : Stage("member" + std::to_string(node)), niu_(niu), open_(node == 0 ? 0 : messages) {}

    unsigned poll(Time /*now*/) override {
        unsigned moved = 0;
        for (niu::Received message; moved < 64 && niu_.receive(message); ++moved) {
            std::uint64_t number = 0;
            std::memcpy(&number, message.data.data(), sizeof number);
            in_order_ = in_order_ && number == heard_[message.source]++;
            ++received_;
            niu_.release(message);
        }
        for (unsigned tries = 0; tries < 64 && open_ > 0; ++tries, --open_, ++moved) {
            std::memcpy(message_.data(), &said_, sizeof said_);
            if (!niu_.send(0, wire::Protocol::kNoniso, message_)) break;
            ++said_;
        }
        return moved;
    }

    std::uint64_t received() const { return received_; }
    bool in_order() const { return in_order_; }

  private:
    niu::Niu& niu_;
    std::uint64_t open_;
    std::uint64_t said_ = 0;
    std::uint64_t received_ = 0;
    bool in_order_ = true;
    std::array<std::uint64_t, 128> heard_{};
    std::array<std::byte, kSize> message_{};
};

struct Outcome {
    double used = 0;   ///< of what the wire carries, by messages that had not come before
    double again = 0;  ///< frames sent again for each message
    bool complete = false;
};

Outcome outcome_of(const Crowd& crowd) {
    constexpr std::uint64_t kSeed = 1;  // 64 hosts take their time
    Outcome outcome;
    {
        sim::World world(kSeed, pool(), {.gap = 200ns, .stall = 0, .idle = 5us});
        std::vector<std::string> names;
        std::vector<fabric::Port> ports;
        std::vector<sim::Link::End> ends;
        for (unsigned i = 0; i <= crowd.senders; ++i) {
            names.push_back("host" + std::to_string(i));
            sim::Link& link = world.connect(names.back(), {.latency = 1us, .capacity = 4096});
            ends.push_back(link.a());
            ports.push_back({link.b().input, link.b().output});
        }
        fabric::Switch fabric("fabric", ports, pool(),
                              fabric::SwitchOptions{.seed = kSeed, .capacity = 4096, .addresses = 256});
        for (unsigned i = 0; i <= crowd.senders; ++i)
            fabric.set(i, {.loss = crowd.loss, .rate = crowd.rate, .queue = crowd.queue});
        world.add(fabric);
        std::vector<std::unique_ptr<niu::Niu>> nius;
        std::vector<std::unique_ptr<Member>> members;
        for (unsigned i = 0; i <= crowd.senders; ++i) {
            const auto node = static_cast<niu::NodeId>(i);
            nius.push_back(
                std::make_unique<niu::Niu>(names[i], ends[i].input, ends[i].output, pool(),
                                           niu::Options{.node = node,
                                                        .nodes = names,
                                                        .mac = {2, 0, 0, 0, 0, static_cast<std::uint8_t>(i)},
                                                        .hello_every = 200us}));
            members.push_back(std::make_unique<Member>(*nius[i], node, crowd.messages));
            world.add(*members[i], *nius[i]);
        }
        const std::uint64_t all = crowd.senders * crowd.messages;
        const Member& taker = *members[0];
        world.run_until([&] { return taker.received() > 0; }, 1s);
        const Time began = world.now();
        outcome.complete = world.run_until([&] { return taker.received() == all; }, 60s) && taker.in_order();
        const std::chrono::duration<double> took = world.now() - began;
        outcome.used =
            static_cast<double>(all * kOnTheWire * 8) / (took.count() * static_cast<double>(crowd.rate));
        for (const auto& niu : nius)
            outcome.again += static_cast<double>(niu->counters().resent_overtaken.get() +
                                                 niu->counters().resent_timeout.get()) /
                             static_cast<double>(all);
        world.drain(1us);  // unacknowledged frames would be waited for
        for (const auto& niu : nius)
            niu->discard();
    }
    EXPECT_EQ(pool().in_use(), 0U);
    return outcome;
}

void expect(const Crowd& crowd, double used, double again) {
    const Outcome outcome = outcome_of(crowd);
    std::cout << crowd.senders << " senders, " << crowd.rate / 1'000'000 << " Mbit/s, queue of "
              << crowd.queue << ", loss " << crowd.loss << ": " << outcome.used << " of the wire used, "
              << outcome.again << " sent again a message\n";
    EXPECT_TRUE(outcome.complete);
    EXPECT_GE(outcome.used, used);
    EXPECT_LE(outcome.again, again);
}

}  // namespace

TEST(NiuCrowd, a_wire_with_a_long_queue_is_used_up) {
    expect({.senders = 3, .rate = 10'000'000'000, .queue = 1024, .messages = 3000}, 0.99, 0.01);
}

/// A frame takes longer on it than the least wait: what waits in the queue is sent again, and comes twice.
TEST(NiuCrowd, a_slow_wire_with_a_long_queue_is_used) {
    expect({.senders = 2, .rate = 25'000'000, .queue = 1024, .messages = 600}, 0.9, 0.1);
    expect({.senders = 8, .rate = 25'000'000, .queue = 1024, .messages = 200}, 0.7, 0.4);
}

TEST(NiuCrowd, a_wire_with_a_short_queue_is_used) {
    expect({.senders = 3, .rate = 10'000'000'000, .queue = 16, .messages = 6000}, 0.7, 0.2);
    expect({.senders = 3, .rate = 50'000'000, .queue = 16, .messages = 300}, 0.8, 0.6);
}

TEST(NiuCrowd, many_senders_to_one_use_its_wire) {
    expect({.senders = 64, .rate = 10'000'000'000, .queue = 256, .messages = 200}, 0.3, 0.3);
    expect({.senders = 64, .rate = 10'000'000'000, .queue = 64, .messages = 200}, 0.15, 0.4);
}

TEST(NiuCrowd, loss_by_chance_is_not_taken_for_a_crowd) {
    expect({.senders = 1, .rate = 10'000'000'000, .queue = 1024, .loss = 0.01, .messages = 3000}, 0.9, 0.03);
}

}  // namespace isoplane::test::niu_crowd
