// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <cstring>
#include <isoplane/fabric/switch.hh>
#include <isoplane/niu/niu.hh>
#include <isoplane/sim/world.hh>
#include <memory>

#include "chance.hh"
#include "seeds.hh"

namespace isoplane::test {

using runtime::Time;

namespace {

constexpr unsigned kHosts = 3;
constexpr unsigned kMortal = 2;  ///< the host that crashes

/// What a message says: which life of its sender it is from, and its number in it.
struct Note {
    std::uint32_t life;
    std::uint32_t number;
};

/// A host that can crash and start again. Between its lives what is sent to it vanishes.
class Host final : public runtime::Stage {
  public:
    Host(niu::NodeId node, sim::Link::End end)
        : Stage("host" + std::to_string(node)), node_(node), end_(end) {
        takes_from(end.input);
        gives_to(end.output);
        start();
    }

    void start() {
        ++life_;
        heard_ = {};
        said_ = {};
        niu_ =
            std::make_unique<niu::Niu>(name(), end_.input, end_.output, pool(),
                                       niu::Options{.node = node_,
                                                    .nodes = {"a", "b", "c"},
                                                    .epoch = life_,
                                                    .mac = {2, 0, 0, 0, 0, static_cast<std::uint8_t>(node_)},
                                                    .window = 32,
                                                    .timeout = {.initial = 1ms, .least = 100us, .most = 5ms},
                                                    .silence = 5ms,
                                                    .hello_every = 200us});
    }
    void crash() { niu_.reset(); }

    unsigned poll(Time now) override {
        if (niu_ == nullptr) return vanish();
        return niu_->poll(now) + listen() + talk();
    }
    std::size_t discard() override { return niu_ != nullptr ? niu_->discard() : 0; }

    niu::Niu& niu() { return *niu_; }
    /// Messages heard from the present life of a host, all in order.
    std::uint32_t heard(unsigned from) const { return heard_[from].number; }
    bool disordered() const { return disordered_; }

  private:
    unsigned vanish() {
        runtime::Burst burst;
        const std::uint16_t n = end_.input.receive(burst);
        rte_pktmbuf_free_bulk(burst.data(), n);
        return n;
    }

    unsigned listen() {
        unsigned n = 0;
        for (niu::Received message; niu_->receive(message); ++n) {
            Note note{};
            std::memcpy(&note, message.data.data(), sizeof note);
            Note& last = heard_[message.source];
            if (note.life > last.life) last = {note.life, 0};
            disordered_ |= note.life != last.life || note.number != last.number++;
            niu_->release(message);
        }
        return n;
    }

    unsigned talk() {
        for (niu::NodeId to = 0; to < kHosts; ++to) {
            if (to == node_) continue;
            // A stream to a new life of its receiver begins anew.
            if (niu_->peer(to).epoch != lives_[to]) {
                lives_[to] = niu_->peer(to).epoch;
                said_[to] = {++streams_, 0};
            }
            const niu::SendBuffer room = niu_->buffer(to, wire::Protocol::kNoniso, sizeof(Note));
            if (!room) continue;
            std::memcpy(room.data.data(), &said_[to], sizeof(Note));
            ++said_[to].number;
            niu_->send(room);
        }
        return 0;
    }

    niu::NodeId node_;
    sim::Link::End end_;
    std::uint32_t life_ = 0;
    std::uint32_t streams_ = 0;
    std::array<std::uint32_t, kHosts> lives_{};
    std::array<Note, kHosts> said_{};
    std::array<Note, kHosts> heard_{};
    bool disordered_ = false;
    std::unique_ptr<niu::Niu> niu_;
};

void run(std::uint64_t seed) {
    Random random(seed, 1);
    sim::World world(seed, pool());
    std::vector<fabric::Port> ports;
    std::vector<std::unique_ptr<Host>> hosts;
    for (niu::NodeId i = 0; i < kHosts; ++i) {
        sim::Link& link = world.connect("link" + std::to_string(i));
        ports.push_back({link.b().input, link.b().output});
        hosts.push_back(std::make_unique<Host>(i, link.a()));
    }
    fabric::Switch fabric("fabric", ports, pool(), {.seed = seed, .capacity = 1024});
    for (unsigned i = 0; i < kHosts; ++i)
        fabric.set(i, {.loss = random.unit() * 0.2, .duplicate = 0.05, .reorder = 0.1, .hold = 50us});
    world.add(fabric);
    for (const auto& host : hosts)
        world.add(*host);
    const auto all_talk = [&](std::uint32_t more, std::uint32_t since) {
        return world.run_until(
            [&] {
                for (unsigned i = 0; i < kHosts; ++i)
                    for (unsigned j = 0; j < kHosts; ++j) {
                        const bool survivors = i != kMortal && j != kMortal;
                        if (i != j && hosts[i]->heard(j) < (survivors ? since + more : more)) return false;
                    }
                return true;
            },
            1s);
    };
    EXPECT_TRUE(all_talk(50, 0));
    for (unsigned crash = 0; crash < 3; ++crash) {
        world.run_for(some(random, 2ms));
        hosts[kMortal]->crash();
        const bool noticed = random.below(2) == 0;
        world.run_for(noticed ? Duration{20ms} : some(random, 3ms));
        if (noticed) {
            EXPECT_EQ(hosts[0]->niu().state(kMortal), niu::PeerState::kDead);
        }
        EXPECT_EQ(hosts[0]->niu().state(1), niu::PeerState::kUp);
        hosts[kMortal]->start();
        EXPECT_TRUE(all_talk(50, std::min(hosts[0]->heard(1), hosts[1]->heard(0))))
            << "after crash " << crash;
    }
    for (const auto& host : hosts)
        EXPECT_FALSE(host->disordered()) << host->name();
    EXPECT_EQ(hosts[0]->niu().counters().peers_lost.get(), 3U);
    for (const auto& host : hosts)
        host->crash();
}

}  // namespace

TEST(NiuRestart, a_host_comes_back_in_a_new_epoch_and_disturbs_nobody) {
    for_each_seed(20, [](std::uint64_t seed) {
        run(seed);
        EXPECT_EQ(pool().in_use(), 0U);
    });
}

}  // namespace isoplane::test
