// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <isoplane/shmem/page_copies.hh>
#include <isoplane/topology/builders.hh>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace isoplane::shmem {

namespace {

using noniso::PeerState;
using Bytes = std::vector<std::byte>;

constexpr std::uint64_t kPulse = 100;
constexpr Extent kExtent{.pages = 6, .page_words = 40};

/// What is under way between hosts that die.
class Network {
  public:
    explicit Network(std::size_t hosts)
        : hosts_(hosts),
          queues_(hosts * hosts),
          known_dead_(hosts * hosts),
          met_(hosts * hosts),
          unmet_(hosts * hosts),
          gone_(hosts * hosts) {}

    std::deque<Bytes>& between(std::size_t from, std::size_t to) { return queues_[from * hosts_ + to]; }
    bool knows_dead(std::size_t who, std::size_t of) const { return known_dead_[who * hosts_ + of]; }
    void meet(std::size_t a, std::size_t b) { met_[a * hosts_ + b] = met_[b * hosts_ + a] = true; }
    /// It died before they had met: no NIU will ever tell.
    void never_meet(std::size_t who, std::size_t of) { unmet_[who * hosts_ + of] = !met_[who * hosts_ + of]; }
    bool unmet(std::size_t who, std::size_t of) const { return unmet_[who * hosts_ + of]; }
    /// It is not in the view.
    bool is_gone(std::size_t who, std::size_t of) const { return gone_[who * hosts_ + of]; }
    /// Nothing that is still under way from it arrives there any more.
    void learn(std::size_t who, std::size_t of) {
        known_dead_[who * hosts_ + of] = !unmet(who, of);
        between(of, who).clear();
    }
    void leave_view(std::size_t who, std::size_t of) { gone_[who * hosts_ + of] = true; }

  private:
    std::size_t hosts_;
    std::vector<std::deque<Bytes>> queues_;
    std::vector<bool> known_dead_;
    std::vector<bool> met_;
    std::vector<bool> unmet_;
    std::vector<bool> gone_;
};

/// Messages of one host; now and then it has no room.
class LossyEndpoint final : public noniso::Endpoint {
  public:
    LossyEndpoint(Network& network, NodeId here, std::mt19937_64& random)
        : network_(network), here_(here), random_(random) {}

    using Endpoint::send;
    using Endpoint::transfer;
    noniso::SendBuffer buffer(NodeId to, std::size_t size) noexcept override {
        if (network_.knows_dead(here_, to) || network_.unmet(here_, to) || random_() % 4 == 0) return {};
        open_.resize(size);
        return {open_, to, wire::Protocol::kShmem, true, 1};
    }
    void send(const noniso::SendBuffer& buffer) noexcept override {
        network_.meet(here_, buffer.to);
        network_.between(here_, buffer.to).emplace_back(buffer.data.begin(), buffer.data.end());
    }
    noniso::Ticket send(NodeId, runtime::Packet&) noexcept override { return {}; }
    bool in_process() const noexcept override { return false; }
    noniso::Ticket transfer(NodeId, std::span<const std::byte>, const niu::Memory&) noexcept override {
        return {};
    }
    noniso::TransferState state(const noniso::Ticket&) const noexcept override { return {}; }
    bool receive(noniso::Received&) noexcept override { return false; }
    void release(const noniso::Received&) noexcept override {}
    bool waiting() const noexcept override { return false; }
    bool enter_barrier() noexcept override { return false; }
    noniso::BarrierState barrier() const noexcept override { return {}; }
    PeerState state(NodeId node) const noexcept override {
        if (network_.unmet(here_, node)) return PeerState::kUnknown;
        return network_.knows_dead(here_, node) ? PeerState::kDead : PeerState::kUp;
    }
    std::uint32_t epoch(NodeId) const noexcept override { return 1; }
    std::size_t max_message(NodeId) const noexcept override { return wire::page_message_size(16); }

  private:
    Network& network_;
    NodeId here_;
    std::mt19937_64& random_;
    Bytes open_;
};

struct Host {
    Host(Network& network, const topology::ShmemMap& map, const topology::Paths& paths, NodeId here,
         std::mt19937_64& random)
        : pages(map, paths, here, kExtent), endpoint(network, here, random) {}

    Pages pages;
    Store store{pages};
    LossyEndpoint endpoint;
    PageCopies copies{pages, store, endpoint};
    bool joins = false;
    bool alive = true;
    bool told = false;  ///< who joins
};

/// Several hosts join at once, and others and they die meanwhile.
class Arrival {
  public:
    explicit Arrival(std::uint64_t seed)
        : random_(seed),
          size_(3 + random_() % 4),
          topology_(topology::single_switch(size_)),
          network_(size_),
          map_(topology::parse_shmem_map(map())) {
        for (std::size_t i = 0; i < size_; ++i)
            hosts_.push_back(std::make_unique<Host>(network_, map_, paths_, static_cast<NodeId>(i), random_));
        for (auto& host : hosts_)
            host->joins = random_() % 3 != 0;
        for (std::uint32_t page = 0; page < kExtent.pages; ++page)
            fill(page);
    }

    /// What is wrong in the end; empty when nothing is.
    std::string run() {
        for (unsigned step = 0; step < 20'000; ++step) {
            act();
            if (step > 300 && done()) return difference();
        }
        return "somebody stands still";
    }
    std::uint64_t said_none() const { return said_none_; }

  private:
    struct Content {
        std::vector<std::uint32_t> words;
        std::vector<std::uint32_t> open;
        bool operator==(const Content&) const = default;
    };
    inline static const Content kNothing{std::vector<std::uint32_t>(kExtent.page_words), {0}};

    std::string map() {
        std::string text;
        for (std::uint32_t page = 0; page < kExtent.pages; ++page) {
            std::string holders;
            for (std::size_t host = 0; host < size_; ++host)
                if (random_() % 2 == 0) holders += (holders.empty() ? "" : ", ") + std::to_string(host);
            text += std::to_string(page) + ": " + (holders.empty() ? "0" : holders) + ";\n";
        }
        return text;
    }

    /// What those that do not join hold: some words, one of which waits for its value.
    void fill(std::uint32_t page) {
        const Address begin = page * kExtent.page_words;
        for (std::size_t i = 0; i < 8; ++i) {
            std::array<std::byte, 4> value;
            wire::Field<std::uint32_t, 0>::put(value.data(), static_cast<std::uint32_t>(random_()) | 1U);
            const Address at = begin + static_cast<Address>(random_() % kExtent.page_words);
            const auto code = i == 7 ? wire::AccessCode::kSched : wire::AccessCode::kWrite;
            for (auto& host : hosts_)
                if (!host->joins && host->pages.page(begin).is_here())
                    host->store.execute(0, {code, 1, at, 5, value});
        }
        before_.push_back(kNothing);
        for (auto& host : hosts_)
            if (const auto here = content(*host, page); here && !host->joins) before_[page] = *here;
    }

    Host& any() { return *hosts_[random_() % size_]; }

    void act() {
        const std::size_t from = random_() % size_;
        const std::size_t to = random_() % size_;
        Host& host = *hosts_[to];
        switch (random_() % 16) {
            case 0:
                // Mostly those that have something to tell.
                if (host.alive && random_() % (host.joins ? 24 : 4) == 0) die(to);
                return;
            case 1:
                if (hosts_[from]->alive || !host.alive) return;
                if (random_() % 2 == 0)
                    network_.learn(to, from);
                else
                    network_.leave_view(to, from);
                return;
            case 2:
                if (!host.told && host.alive) tell(host);
                return;
            case 3:
            case 4:
            case 5:
                if (!host.told || !host.alive) return;
                host.copies.leave_out([&](NodeId node) { return network_.is_gone(to, node); });
                host.copies.send();
                return;
            default:
                deliver(from, to);
        }
    }

    void tell(Host& host) {
        host.told = true;
        for (std::size_t node = 0; node < size_; ++node)
            if (hosts_[node]->joins) host.copies.joined(static_cast<NodeId>(node), kPulse);
    }

    void deliver(std::size_t from, std::size_t to) {
        auto& queue = network_.between(from, to);
        if (queue.empty() || !hosts_[to]->alive) return;
        const auto message = wire::decode_page_message(queue.front());
        said_none_ += message && message->step == wire::PageStep::kNone ? 1 : 0;
        hosts_[to]->copies.take(static_cast<NodeId>(from), queue.front());
        queue.pop_front();
    }

    /// Some of what it has sent arrives all the same.
    void die(std::size_t node) {
        hosts_[node]->alive = false;
        for (std::size_t to = 0; to < size_; ++to) {
            auto& queue = network_.between(node, to);
            queue.resize(random_() % (queue.size() + 1));
            if (random_() % 4 == 0) network_.never_meet(to, node);
        }
    }

    bool done() const {
        return std::ranges::all_of(
            hosts_, [](const auto& host) { return !host->alive || (host->told && host->copies.idle()); });
    }

    /// Nothing where it has none.
    static std::optional<Content> content(Host& host, std::uint32_t page) {
        const Pages::Page& here = host.pages.page(page * kExtent.page_words);
        if (!here.is_here()) return {};
        const auto words = host.store.words_of(here);
        Content all{{words.begin(), words.end()}, {}};
        host.store.add_open(page, all.open);
        return all;
    }

    std::string difference() const {
        for (std::uint32_t page = 0; page < kExtent.pages; ++page) {
            std::optional<Content> first;
            for (const auto& host : hosts_) {
                const auto here = host->alive ? content(*host, page) : std::nullopt;
                if (!here) continue;
                if (first && *first != *here) return "two copies of page " + std::to_string(page) + " differ";
                if (*here != before_[page] && *here != kNothing)
                    return "page " + std::to_string(page) + " is a part of what it was";
                first = here;
            }
        }
        return {};
    }

    std::mt19937_64 random_;
    std::size_t size_;
    topology::Topology topology_;
    topology::Paths paths_{topology_};
    Network network_;
    topology::ShmemMap map_;
    std::vector<std::unique_ptr<Host>> hosts_;
    std::vector<Content> before_;  ///< by page
    std::uint64_t said_none_ = 0;
};

}  // namespace

TEST(PageCopies, of_those_that_join_are_the_same_whoever_dies_meanwhile) {
    std::uint64_t said_none = 0;
    for (std::uint64_t seed = 1; seed <= 600; ++seed) {
        Arrival arrival(seed);
        ASSERT_EQ(arrival.run(), "") << "seed " << seed;
        said_none += arrival.said_none();
    }
    EXPECT_GT(said_none, 200U);
}

TEST(PageCopies, who_asks_again_and_again_is_told_once) {
    const topology::Topology topology = topology::single_switch(2);
    const topology::Paths paths(topology);
    const topology::ShmemMap map = topology::parse_shmem_map("0: 0, 1;\n");
    Network network(2);
    std::mt19937_64 random(1);
    Host host(network, map, paths, 0, random);
    Bytes ask(wire::page_message_size(0));
    for (std::uint64_t pulse = kPulse - 50; pulse <= kPulse; ++pulse) {
        wire::encode_page_message(ask, {.step = wire::PageStep::kAsk, .pulse = pulse, .page = 0});
        for (int i = 0; i < 3; ++i)
            host.copies.take(1, ask);
    }
    host.copies.joined(1, kPulse);
    while (!host.copies.idle())
        host.copies.send();
    EXPECT_EQ(std::ranges::count_if(network.between(0, 1),
                                    [](const Bytes& message) {
                                        return wire::decode_page_message(message)->step ==
                                               wire::PageStep::kWhole;
                                    }),
              1);
}

TEST(PageCopies, of_what_is_open_nobody_can_tell_without_end) {
    const topology::Topology topology = topology::single_switch(2);
    const topology::Paths paths(topology);
    const topology::ShmemMap map = topology::parse_shmem_map("0: 0, 1;\n");
    Network network(2);
    std::mt19937_64 random(1);
    Host host(network, map, paths, 0, random);
    host.copies.joined(1, kPulse - 1);
    host.copies.joined(0, kPulse);
    while (network.between(0, 1).empty())
        host.copies.send();
    constexpr std::uint16_t kWords = 2048;
    Bytes part(wire::page_message_size(kWords));
    const auto tell = [&](std::uint32_t offset) {
        wire::encode_page_message(
            part,
            {.step = wire::PageStep::kOpen, .words = kWords, .pulse = kPulse, .page = 0, .offset = offset});
        host.copies.take(1, part);
    };
    tell(kWords);
    EXPECT_EQ(host.copies.counters().malformed.get(), 1U) << "a part was left out";
    std::uint32_t parts = 0;
    while (host.copies.counters().malformed.get() == 1 && parts < 4096)
        tell(kWords * parts++);
    EXPECT_LT(parts, 1024U);
}

}  // namespace isoplane::shmem
