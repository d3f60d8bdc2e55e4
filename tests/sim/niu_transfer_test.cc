// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>
#include <rte_malloc.h>

#include <array>
#include <deque>
#include <iostream>
#include <isoplane/niu/niu.hh>
#include <isoplane/sim/world.hh>
#include <memory>

#include "niu_summary.hh"
#include "script.hh"
#include "seeds.hh"
#include "star.hh"
#include "vanish.hh"

namespace isoplane::test::niu_transfer {

namespace {

using niu::TransferState;
constexpr unsigned kHosts = 3;
constexpr unsigned kMortal = 2;  ///< the host that dies, in most seeds

/// What all hosts of a seed have in common.
struct Plan {
    std::uint64_t seed = 0;
    std::uint64_t messages = 0;  ///< from each host to each other
    Climate climate{};
    niu::Options options{};
    Traffic traffic{.messages = 0, .large = 350, .medium = 400};  // half a queue of 64 KB each
};

/// Hands over many large messages to each other host, and small ones between them, and follows every one to
/// its end.
class Bulk final : public runtime::Stage {
  public:
    Bulk(niu::NodeId node, sim::Link::End end, const Plan& plan)
        : Stage("host" + std::to_string(node)),
          node_(node),
          in_(takes_from(end.input)),
          plan_(plan),
          random_(plan.seed, 500 + node) {
        gives_to(end.output);
        niu::Options options = plan.options;
        options.node = node;
        options.mac = {2, 0, 0, 0, 0, static_cast<std::uint8_t>(node)};
        niu_ = std::make_unique<niu::Niu>(name(), end.input, end.output, pool(), options);
        for (unsigned i = 0; i < kHosts; ++i)
            ways_.push_back(
                {Script(plan.traffic, plan.seed, node, i), Script(plan.traffic, plan.seed, i, node)});
    }
    ~Bulk() override { die(); }

    void die() { niu_.reset(); }
    bool dead() const { return niu_ == nullptr; }

    unsigned poll(Time now) override {
        if (dead()) return vanish(in_);
        unsigned moved = niu_->poll(now) + listen();
        for (niu::NodeId to = 0; to < kHosts; ++to) {
            if (to == node_) continue;
            follow(ways_[to]);
            moved += send(to, ways_[to]);
        }
        return moved;
    }
    std::size_t discard() override { return dead() ? 0 : niu_->discard(); }

    /// Everything to and from a host that lives has arrived; what was for one that is given up, or has died
    /// before it was known, has its verdict.
    bool finished(unsigned other, bool dead) const {
        const Way& way = ways_[other];
        const bool up = niu_->state(static_cast<niu::NodeId>(other)) == niu::PeerState::kUp;
        if (has_given_up(other) || (dead && !up)) return way.under_way.empty();
        return way.sent == plan_.messages && way.under_way.empty() && way.received == plan_.messages;
    }
    bool has_given_up(unsigned other) const { return is_given_up(*niu_, static_cast<niu::NodeId>(other)); }
    std::uint64_t sent_to(unsigned other) const { return ways_[other].sent; }
    std::uint64_t arrived_at(unsigned other) const { return ways_[other].arrived; }
    std::uint64_t received_from(unsigned other) const { return ways_[other].received; }
    std::uint64_t lost(unsigned other) const { return ways_[other].lost; }
    std::uint64_t received() const { return niu_->counters().messages_received.get(); }
    bool holds_memory() const {
        return std::any_of(ways_.begin(), ways_.end(), [](const Way& w) { return w.memory.busy(); });
    }
    const niu::Niu& niu() const { return *niu_; }
    std::uint64_t bytes() const { return bytes_; }
    std::uint64_t largest() const { return largest_; }
    const std::string& complaint() const { return complaint_; }
    std::uint64_t most_under_way() const { return most_under_way_; }

  private:
    struct Message {
        niu::Ticket ticket;
        std::vector<std::byte> content;  ///< empty if it is in registered memory
        bool registered = false;
        std::uint64_t number = 0;
    };
    struct Way {
        Script outgoing;
        Script incoming;
        std::uint64_t sent = 0;
        std::uint64_t received = 0;
        std::uint64_t arrived = 0;  ///< so many at least, as was told
        std::uint64_t lost = 0;
        std::deque<Message> under_way{};
        niu::Memory memory{};  ///< of one of those
    };

    unsigned send(niu::NodeId to, Way& way) {
        if (way.sent == plan_.messages || niu_->state(to) != niu::PeerState::kUp) return 0;
        const std::size_t size = way.outgoing.size(way.sent);
        if (size <= niu_->max_message(to) && random_.below(2) == 0) {
            const niu::SendBuffer room = niu_->buffer(to, wire::Protocol::kNoniso, size);
            if (!room) return 0;
            way.outgoing.write(way.sent, room.data);
            niu_->send(room);
            ++way.sent;
            return 1;
        }
        Message message{.number = way.sent};
        message.registered = size > 0 && random_.below(2) == 0 && !way.memory.busy();
        if (message.registered) {
            way.memory = niu::Memory::allocate(size);
            way.outgoing.write(way.sent, way.memory.bytes());
            message.ticket = niu_->transfer(to, wire::Protocol::kNoniso, way.memory.bytes(), way.memory);
        } else {
            message.content.resize(size);
            way.outgoing.write(way.sent, message.content);
            message.ticket = niu_->transfer(to, wire::Protocol::kNoniso, message.content);
        }
        if (!message.ticket) {
            if (message.ticket.refusal() != niu::Refusal::kFull) complain("was refused for no reason");
            return 0;
        }
        way.under_way.push_back(std::move(message));
        most_under_way_ = std::max<std::uint64_t>(most_under_way_, way.under_way.size());
        ++way.sent;
        return 1;
    }

    /// They come to their ends in order; what is in frames is the user's again, who writes over it.
    void follow(Way& way) {
        while (!way.under_way.empty()) {
            const TransferState state = niu_->state(way.under_way.front().ticket);
            if (state != TransferState::kArrived && state != TransferState::kLost) break;
            if (state == TransferState::kLost) ++way.lost;
            if (state == TransferState::kArrived) way.arrived = way.under_way.front().number + 1;
            if (state == TransferState::kArrived && way.lost != 0)
                complain("was told that one behind a lost one has arrived");
            way.under_way.pop_front();
        }
        for (Message& message : way.under_way) {
            if (niu_->state(message.ticket) == TransferState::kWaiting) break;
            std::fill(message.content.begin(), message.content.end(), std::byte{0xee});
        }
    }

    unsigned listen() {
        unsigned n = 0;
        for (niu::Received part; n < 16 && niu_->receive(part); ++n) {
            Way& way = ways_[part.source];
            if (part.size != way.incoming.size(way.received)) complain("got another message's size");
            if (!way.incoming.matches(way.received, part.offset, part.data))
                complain("got another message's content");
            if (part.offset + part.data.size() == part.size) {
                ++way.received;
                bytes_ += part.size;
                largest_ = std::max<std::uint64_t>(largest_, part.size);
            }
            niu_->release(part);
        }
        return n;
    }

    void complain(const std::string& what) {
        if (complaint_.empty()) complaint_ = name() + " " + what;
    }

    niu::NodeId node_;
    runtime::Input& in_;
    const Plan& plan_;
    Random random_;
    std::vector<Way> ways_;
    std::uint64_t most_under_way_ = 0;
    std::uint64_t bytes_ = 0;
    std::uint64_t largest_ = 0;
    std::string complaint_;
    std::unique_ptr<niu::Niu> niu_;  ///< goes before the memory that it sends from
};

Plan some_plan(std::uint64_t seed, Random& random) {
    Plan plan{.seed = seed, .messages = 10 + random.below(30), .climate = Climate::of(seed, 5ms)};
    plan.options = {.nodes = {"a", "b", "c"},
                    .mtu = static_cast<std::uint16_t>(600 + random.below(1200)),
                    .chains = true,
                    .in_process = true,
                    .window = 8U << random.below(4),
                    .transfers = static_cast<unsigned>(1 + random.below(12)),
                    .timeout = {.initial = 1ms, .least = 100us, .most = 5ms},
                    .silence = plan.climate.silence,
                    .hello_every = 200us,
                    .hello_limit = kHelloLimit,
                    .linger = 3ms};
    return plan;
}

struct Totals : Summary {
    std::uint64_t transfers_lost = 0;
    std::uint64_t most_under_way = 0;
};

/// Of two hosts that live: what the one has sent, and the other has received, in order and once as far as
/// that.
std::string compare(const std::vector<std::unique_ptr<Bulk>>& hosts, unsigned from, unsigned to, bool parts) {
    const Bulk& sender = *hosts[from];
    const Bulk& receiver = *hosts[to];
    if (from == to || sender.dead() || receiver.dead()) return {};
    if (receiver.received_from(from) > sender.sent_to(to)) return "something came that was not sent";
    if (receiver.received_from(from) < sender.arrived_at(to)) return "what is told to have arrived has not";
    if (sender.has_given_up(to) || receiver.has_given_up(from))
        return parts ? "" : "one that lives was given up";
    if (receiver.received_from(from) != sender.sent_to(to)) return "something is missing";
    return sender.lost(to) == 0 ? "" : "something was lost without a death";
}

/// Runs one seed. Says what went wrong; nothing when all was well.
std::string run(std::uint64_t seed, Totals& totals) {
    Random random(seed, 1);
    const Plan plan = some_plan(seed, random);
    sim::World world(seed, pool(), {.idle = 20us});
    Star<Bulk> star(world, seed, plan.climate, kHosts, [&](niu::NodeId node, const sim::Link::End& end) {
        return std::make_unique<Bulk>(node, end, plan);
    });
    const auto& hosts = star.hosts;

    const bool parts = plan.climate.parts();
    const bool dies = random.below(4) != 0;
    if (dies) {
        world.run_for(some(random, 3ms));
        hosts[kMortal]->die();
    }
    const auto over = [&] {
        for (const auto& host : hosts) {
            if (host->dead()) continue;
            if (!host->complaint().empty()) return true;
            for (unsigned other = 0; other < kHosts; ++other) {
                if (&host != &hosts[other] && !host->finished(other, hosts[other]->dead())) return false;
            }
            if (host->holds_memory()) return false;
        }
        return true;
    };
    const bool finished = world.run_until(over, 2s);
    for (const auto& host : hosts) {
        if (!host->complaint().empty()) return host->complaint();
        if (host->dead()) continue;
        totals.transfers_lost += host->lost(kMortal);
        totals.most_under_way = std::max(totals.most_under_way, host->most_under_way());
        totals.messages += host->received();
        totals.bytes += host->bytes();
        totals.largest = std::max(totals.largest, host->largest());
        add_niu(totals, host->niu().counters());
    }
    if (!finished) return "not all has come to an end";
    bool apart = false;
    for (unsigned from = 0; from < kHosts; ++from) {
        for (unsigned to = 0; to < kHosts; ++to) {
            if (std::string wrong = compare(hosts, from, to, parts); !wrong.empty()) return wrong;
            apart = apart || (!hosts[from]->dead() && !hosts[to]->dead() && hosts[from]->has_given_up(to));
        }
    }
    ++totals.seeds;
    totals.parted += apart ? 1 : 0;
    star.weather->add_to(totals);
    for (const auto& host : hosts)
        host->die();
    world.drain();
    return {};
}

unsigned allocated() {
    rte_malloc_socket_stats stats{};
    unsigned n = 0;
    for (int socket = 0; socket < RTE_MAX_NUMA_NODES; ++socket) {
        if (rte_malloc_get_socket_stats(socket, &stats) == 0) n += stats.alloc_count;
    }
    return n;
}

}  // namespace

TEST(NiuTransferSim, every_transfer_arrives_or_is_told_lost_and_memory_is_let_go_of_once) {
    constexpr std::uint64_t kSeeds = 300;
    Totals all;
    pool();
    for_each_seed(kSeeds, [&](std::uint64_t seed) {
        const unsigned before = allocated();
        EXPECT_EQ(run(seed, all), "");
        EXPECT_EQ(pool().in_use(), 0U);
        EXPECT_EQ(allocated(), before) << "pieces of memory are kept or freed twice";
    });
    std::cout << all << all.transfers_lost << " transfers were lost with their receiver, up to "
              << all.most_under_way << " were under way to one\n";
    if (all.seeds < kSeeds) return;
    EXPECT_GT(all.transfers_lost, 100U);
    EXPECT_GT(all.most_under_way, 8U);
    expect_all_weather(all, kSeeds);
}

}  // namespace isoplane::test::niu_transfer
