// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <iostream>
#include <isoplane/fabric/switch.hh>
#include <isoplane/niu/niu.hh>
#include <isoplane/sim/world.hh>
#include <isoplane/wire/hello.hh>
#include <memory>

#include "chance.hh"
#include "niu_summary.hh"
#include "seeds.hh"
#include "vanish.hh"

namespace isoplane::test::niu_restart {

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
    Host(niu::NodeId node, sim::Link::End end, std::uint64_t seed, const niu::Planted& planted)
        : Stage("host" + std::to_string(node)),
          node_(node),
          end_(end),
          random_(seed, 500 + node),
          planted_(planted) {
        takes_from(end.input);
        gives_to(end.output);
        start();
    }

    void start() {
        ++life_;
        heard_ = {};
        said_ = {};
        lives_ = {};
        niu_ =
            std::make_unique<niu::Niu>(name(), end_.input, end_.output, pool(),
                                       niu::Options{.node = node_,
                                                    .nodes = {"a", "b", "c"},
                                                    .epoch = life_,
                                                    .mac = {2, 0, 0, 0, 0, static_cast<std::uint8_t>(node_)},
                                                    .window = 32,
                                                    .timeout = {.initial = 1ms, .least = 100us, .most = 5ms},
                                                    .silence = 2ms,
                                                    .displace = 2ms,
                                                    .hello_every = 200us,
                                                    .planted = planted_});
    }
    void crash() { niu_.reset(); }

    unsigned poll(Time now) override {
        if (niu_ == nullptr) return vanish(end_.input);
        return niu_->poll(now) + listen() + talk(now);
    }
    std::size_t discard() override { return niu_ != nullptr ? niu_->discard() : 0; }

    niu::Niu& niu() { return *niu_; }
    /// What came last from a host, all in order.
    const Note& heard(unsigned from) const { return heard_[from]; }
    bool disordered() const { return disordered_; }

  private:
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

    /// One message to each other host, every now and then.
    unsigned talk(Time now) {
        if (now < talk_at_) return 0;
        talk_at_ = now + 1us + some(random_, 20us);
        unsigned said = 0;
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
            ++said;
        }
        return said;
    }

    niu::NodeId node_;
    sim::Link::End end_;
    Random random_;
    niu::Planted planted_;
    Time talk_at_{};
    std::uint32_t life_ = 0;
    std::uint32_t streams_ = 0;
    std::array<std::uint32_t, kHosts> lives_{};
    std::array<Note, kHosts> said_{};
    std::array<Note, kHosts> heard_{};
    bool disordered_ = false;
    std::unique_ptr<niu::Niu> niu_;
};

/// One who has the job's key and presents himself as one host or another, in epochs to come, again and again.
class Forger final : public runtime::Stage {
  public:
    Forger(sim::Link::End end, std::uint64_t seed)
        : Stage("forger"), in_(takes_from(end.input)), out_(gives_to(end.output)), random_(seed, 600) {}

    unsigned poll(Time now) override {
        runtime::Burst burst;
        const std::uint16_t n = in_.receive(burst);
        rte_pktmbuf_free_bulk(burst.data(), n);
        if (now < next_) return n;
        next_ = now + some(random_, 400us);
        rte_mbuf* frame = forged();
        if (out_.send(&frame, 1) == 0) rte_pktmbuf_free(frame);
        return n + 1U;
    }

  private:
    rte_mbuf* forged() {
        constexpr std::size_t kFront = wire::kEthernetSize + wire::kHeaderSize;
        rte_mbuf* frame = pool().packet().release();
        auto* at = reinterpret_cast<std::byte*>(rte_pktmbuf_append(frame, kFront + wire::kHelloSize + 1));
        const wire::Hello hello{.mtu = 1500, .credit = 32, .name = "x"};
        const std::size_t size = wire::encode_hello({at + kFront, wire::kHelloSize + 1}, hello);
        wire::Header header{.kind = random_.below(2) == 0 ? wire::Kind::kHello : wire::Kind::kHelloAck,
                            .source = static_cast<std::uint16_t>(random_.below(kHosts)),
                            .destination = wire::kBroadcast,
                            .epoch = static_cast<std::uint32_t>(100 + random_.below(1'000'000))};
        wire::encode_ethernet(std::span<std::byte, wire::kEthernetSize>(at, wire::kEthernetSize),
                              wire::kBroadcastMac, {2, 0, 0, 0, 0, 0x66}, wire::kDefaultEtherType);
        wire::encode_frame(
            std::span<std::byte, wire::kHeaderSize>(at + wire::kEthernetSize, wire::kHeaderSize), header,
            {at + kFront, size});
        return frame;
    }

    runtime::Input& in_;
    runtime::Output& out_;
    Random random_;
    Time next_{};
};

/// Three hosts at a switch, of which one dies now and then, and in half of the seeds a forger.
class Network {
  public:
    Network(std::uint64_t seed, const niu::Planted& planted)
        : is_late_(seed % 4 == 0), random_(seed, 1), world_(seed, pool(), {.idle = 20us}) {
        std::vector<fabric::Port> ports;
        for (niu::NodeId i = 0; i < kHosts; ++i) {
            sim::Link& link = world_.connect("link" + std::to_string(i));
            ports.push_back({link.b().input, link.b().output});
            hosts_.push_back(std::make_unique<Host>(i, link.a(), seed, planted));
        }
        if (random_.below(2) == 0) {
            sim::Link& link = world_.connect("forger");
            ports.push_back({link.b().input, link.b().output});
            forger_ = std::make_unique<Forger>(link.a(), seed);
        }
        fabric_ = std::make_unique<fabric::Switch>(
            "fabric", ports, pool(), fabric::SwitchOptions{.seed = seed, .capacity = 1024, .addresses = 64});
        for (unsigned i = 0; i < kHosts; ++i) {
            // Frames that are held back may come after the hello of the next life; late ones after several.
            fabric_->set(i, {.loss = random_.unit() * 0.2,
                             .duplicate = 0.05,
                             .reorder = 0.1,
                             .late = is_late_ ? 0.02 : 0,
                             .after = {100us, kLatest},
                             .gap = static_cast<unsigned>(1 + random_.below(50)),
                             .hold = 50us + some(random_, 500us)});
        }
        world_.add(*fabric_);
        if (forger_ != nullptr) world_.add(*forger_);
        for (const auto& host : hosts_)
            world_.add(*host);
    }
    ~Network() {
        for (const auto& host : hosts_)
            host->crash();
    }

    /// Says what went wrong; nothing when all was well.
    std::string run() {
        unsigned short_lives = 0;
        if (!all_talk()) return "they never talked";
        for (unsigned crash = 0; crash < kCrashes; ++crash) {
            world_.run_for(some(random_, 2ms));
            hosts_[kMortal]->crash();
            const bool noticed = random_.below(2) == 0;
            world_.run_for(noticed ? 8ms + (is_late_ ? kLatest : Duration{0})
                                   : some(random_, random_.below(2) == 0 ? 20us : 1500us));
            const niu::PeerState seen = hosts_[0]->niu().state(kMortal);
            if (noticed && (forger_ == nullptr ? seen != niu::PeerState::kDead : seen == niu::PeerState::kUp))
                return "a death was not noticed";
            // A short life, of which frames are still on their way in the next.
            if (random_.below(2) == 0) {
                hosts_[kMortal]->start();
                world_.run_for(some(random_, 1ms));
                hosts_[kMortal]->crash();
                ++short_lives;
            }
            hosts_[kMortal]->start();
            if (!all_talk()) return "it did not come back";
            if (hosts_[0]->niu().state(1) != niu::PeerState::kUp) return "a survivor was lost";
        }
        for (const auto& host : hosts_) {
            if (host->disordered()) return host->name() + " heard what it should not";
        }
        const std::uint64_t lost = hosts_[0]->niu().counters().peers_lost.get();
        if (lost < kCrashes || lost > kCrashes + short_lives) return "not each death was one loss";
        return {};
    }

    void add_to(Summary& summary) const {
        ++summary.seeds;
        for (const auto& host : hosts_) {
            add_niu(summary, host->niu().counters());
            const std::uint64_t messages = host->niu().counters().messages_received.get();
            summary.messages += messages;
            summary.bytes += messages * sizeof(Note);
        }
        summary.largest = sizeof(Note);
        summary.add(*fabric_);
    }

  private:
    static constexpr unsigned kCrashes = 3;
    static constexpr Duration kLatest = 20ms;  ///< as long may one that has died be heard of

    /// Until each has heard much more from each other: from the mortal one, and there, of the present life.
    bool all_talk() {
        constexpr std::uint32_t kMuch = 50;
        std::array<std::array<Note, kHosts>, kHosts> before{};
        for (unsigned i = 0; i < kHosts; ++i) {
            for (unsigned j = 0; j < kHosts; ++j)
                before[i][j] = hosts_[i]->heard(j);
        }
        const auto has_heard = [&](unsigned i, unsigned j) {
            const Note& note = hosts_[i]->heard(j);
            const bool survivors = i != kMortal && j != kMortal;
            if (survivors) return note.number >= before[i][j].number + kMuch;
            return note.life > before[i][j].life && note.number >= kMuch;
        };
        return world_.run_until(
            [&] {
                for (unsigned i = 0; i < kHosts; ++i) {
                    for (unsigned j = 0; j < kHosts; ++j) {
                        if (i != j && !has_heard(i, j)) return false;
                    }
                }
                return true;
            },
            200ms);
    }

    const bool is_late_;  ///< copies of frames come after the lives that sent them
    Random random_;
    sim::World world_;
    std::unique_ptr<fabric::Switch> fabric_;
    std::vector<std::unique_ptr<Host>> hosts_;
    std::unique_ptr<Forger> forger_;
};

std::string run(std::uint64_t seed, const niu::Planted& planted, Summary& summary) {
    std::string wrong;
    {
        Network network(seed, planted);
        wrong = network.run();
        if (wrong.empty()) network.add_to(summary);
    }
    if (wrong.empty() && pool().in_use() != 0) wrong = "packets leaked";
    return wrong;
}

}  // namespace

TEST(NiuRestart, a_host_comes_back_in_a_new_epoch_and_disturbs_nobody) {
    constexpr std::uint64_t kSeeds = 400;
    Summary all;
    for_each_seed(kSeeds, [&](std::uint64_t seed) {
        EXPECT_EQ(run(seed, {}, all), "");
        EXPECT_EQ(pool().in_use(), 0U);
    });
    std::cout << all;
    if (all.seeds < kSeeds) return;
    for (const std::uint64_t fault : {all.lost, all.duplicated, all.reordered, all.resent})
        EXPECT_GT(fault, 10'000U);
}

TEST(NiuRestart, finds_frames_of_an_earlier_epoch_that_are_taken) {
    Summary ignored;
    bool found = false;
    for (std::uint64_t seed = 1; seed <= 50 && !found; ++seed)
        found = !run(seed, {.any_epoch = true}, ignored).empty();
    EXPECT_TRUE(found);
    EXPECT_EQ(pool().in_use(), 0U);
}

}  // namespace isoplane::test::niu_restart
