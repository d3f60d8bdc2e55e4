// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <array>
#include <cstdlib>
#include <isoplane/link/link.hh>
#include <isoplane/niu/niu.hh>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "pool_test.hh"

namespace isoplane::test {

using niu::NodeId;
using runtime::Time;
using wire::Protocol;
using namespace std::chrono_literals;

/// Two nodes, each with its own port, as a program opens them: ethdevs of the ring driver, joined.
class RingLinkTest : public PoolTest {
  protected:
    RingLinkTest() {
        links = link::open_links(link::parse_links("ring:niu,ring:niu"), {.pool = &niu_pool()});
        for (NodeId node = 0; node < 2; ++node) {
            links[node]->start();
            nius.push_back(make_niu(node, niu_pool()));
        }
    }
    std::unique_ptr<niu::Niu> make_niu(NodeId node, runtime::Pool& pool) {
        link::Link& port = *links[node];
        const niu::Options options{.node = node,
                                   .nodes = {"a", "b"},
                                   .epoch = 1U + node,
                                   .mac = port.mac(),
                                   .chains = true,
                                   .in_process = true,
                                   .window = 64};
        return std::make_unique<niu::Niu>(options.nodes[node], port.input(), port.output(), pool, options);
    }
    void TearDown() override {
        nius.clear();
        links.clear();
        PoolTest::TearDown();
    }

    void run(runtime::Duration duration) {
        for (const Time end = now + duration; now < end; now += 5us) {
            for (const auto& niu : nius)
                niu->poll(now);
        }
    }

    /// Sends it to node 1, and checks there that it arrives. Returns where the first part of it was found.
    const std::byte* carry(std::span<const std::byte> message, const niu::Memory& memory) {
        EXPECT_TRUE(nius[0]->transfer(1, Protocol::kNoniso, message, memory));
        const std::byte* found = nullptr;
        std::size_t have = 0;
        niu::Received part;
        for (int i = 0; i < 100'000 && have < message.size(); ++i) {
            run(5us);
            for (; nius[1]->receive(part); nius[1]->release(part)) {
                if (part.offset == 0) found = part.data.data();
                EXPECT_EQ(part.size, message.size());
                EXPECT_EQ(part.offset, have);
                EXPECT_TRUE(std::equal(part.data.begin(), part.data.end(), message.begin() + part.offset));
                have += part.data.size();
            }
        }
        EXPECT_EQ(have, message.size());
        run(100us);
        return found;
    }
    std::uint64_t copied() const {
        return nius[0]->counters().copied_bytes.get() + nius[1]->counters().copied_bytes.get();
    }

    std::vector<std::unique_ptr<link::Link>> links;
    std::vector<std::unique_ptr<niu::Niu>> nius;
    Time now{1s};
};

TEST_F(RingLinkTest, carries_messages_both_ways_without_ever_copying_them) {
    run(1ms);
    ASSERT_TRUE(nius[0]->all_up());
    ASSERT_TRUE(nius[1]->all_up());
    constexpr unsigned kMessages = 1000;
    const std::size_t most = nius[0]->max_message(1);
    for (unsigned i = 0; i < kMessages; ++i) {
        const auto from = static_cast<NodeId>(i % 2);
        const auto to = static_cast<NodeId>(1 - from);
        const niu::SendBuffer room = nius[from]->buffer(to, Protocol::kNoniso, 1 + i * 37 % most);
        ASSERT_TRUE(room);
        std::iota(reinterpret_cast<std::uint8_t*>(room.data.data()),
                  reinterpret_cast<std::uint8_t*>(room.data.data() + room.data.size()), std::uint8_t(i));
        nius[from]->send(room);
        run(20us);
        niu::Received received;
        ASSERT_TRUE(nius[to]->receive(received));
        ASSERT_EQ(received.data.data(), room.data.data()) << "it was moved";
        ASSERT_EQ(received.data.size(), room.data.size());
        ASSERT_EQ(received.data.front(), std::byte(i));
        ASSERT_EQ(received.data.back(), std::byte(i + received.data.size() - 1));
        nius[to]->release(received);
    }
    for (const auto& niu : nius) {
        EXPECT_EQ(niu->counters().messages_received.get(), kMessages / 2);
        EXPECT_EQ(niu->counters().copied_bytes.get(), 0U);
    }
}

/// With something in it.
niu::Memory some_memory(std::size_t size) {
    niu::Memory memory = niu::Memory::allocate(size);
    std::iota(reinterpret_cast<std::uint8_t*>(memory.bytes().data()),
              reinterpret_cast<std::uint8_t*>(memory.bytes().data() + size), std::uint8_t{1});
    return memory;
}

TEST_F(RingLinkTest, carries_large_messages_from_registered_memory_without_copying_them) {
    run(1ms);
    const niu::Memory memory = some_memory(1 << 20);
    for (const std::size_t size : {std::size_t{8} << 10, std::size_t{1} << 20}) {
        const auto message = memory.bytes().last(size);
        EXPECT_EQ(carry(message, memory), message.data()) << "it was moved";
        EXPECT_EQ(copied(), 0U);
        EXPECT_FALSE(memory.busy());
    }
}

TEST_F(RingLinkTest, sets_nothing_aside_that_it_would_not_open) {
    runtime::Pool small("unit_niu_small", 255, runtime::Pool::kDefaultRoom, 0);
    nius[0] = make_niu(0, small);
    run(1ms);
    {
        const niu::Memory memory = some_memory(1 << 20);
        ASSERT_TRUE(nius[0]->transfer(1, Protocol::kNoniso, memory.bytes(), memory));
        std::vector<niu::Received> kept;
        niu::Received part;
        for (int i = 0; i < 1000; ++i, run(5us))
            while (nius[1]->receive(part))
                kept.push_back(part);
        ASSERT_GT(kept.size(), nius[0]->most_kept() / 2) << "each takes two packets";
        EXPECT_FALSE(nius[0]->set_aside(1, 0));
        nius[0]->put_back();
        for (const niu::Received& each : kept)
            nius[1]->release(each);
        for (int i = 0; i < 10'000 && memory.busy(); ++i, run(5us))
            while (nius[1]->receive(part))
                nius[1]->release(part);
        EXPECT_FALSE(memory.busy());
        run(1ms);
        EXPECT_TRUE(nius[0]->set_aside(1, 0));
        nius[0]->put_back();
    }
    nius.clear();
    links.clear();
    EXPECT_EQ(small.in_use(), 0U);
}

TEST_F(RingLinkTest, carries_large_messages_from_memory_of_the_user_that_is_registered) {
    run(1ms);
    constexpr std::size_t kSize = 64 << 10;
    void* const pages = std::aligned_alloc(4096, kSize);
    const std::span own(static_cast<std::byte*>(pages), kSize);
    std::fill(own.begin(), own.end(), std::byte{7});
    {
        const niu::Memory memory = niu::Memory::adopt(own);
        EXPECT_EQ(carry(own, memory), own.data()) << "it was moved";
        EXPECT_EQ(copied(), 0U);
    }
    std::free(pages);
}

TEST_F(RingLinkTest, counts_the_bytes_of_messages_from_memory_it_does_not_know) {
    run(1ms);
    const std::vector<std::byte> message(8 << 10, std::byte{3});
    EXPECT_NE(carry(message, niu::Memory{}), message.data());
    EXPECT_EQ(copied(), message.size());
}

TEST_F(RingLinkTest, keeps_memory_busy_until_the_receiver_has_released_the_message) {
    run(1ms);
    const niu::Memory memory = some_memory(8 << 10);
    ASSERT_TRUE(nius[0]->transfer(1, Protocol::kNoniso, memory.bytes(), memory));
    EXPECT_TRUE(memory.busy());
    run(1ms);
    EXPECT_TRUE(nius[0]->peer(1).sent_all());
    std::vector<niu::Received> parts;
    for (niu::Received part; nius[1]->receive(part);)
        parts.push_back(part);
    run(1ms);
    EXPECT_TRUE(memory.busy()) << "it may still be read";
    for (const niu::Received& part : parts)
        nius[1]->release(part);
    run(1ms);
    EXPECT_FALSE(memory.busy());
}

TEST_F(RingLinkTest, keeps_memory_that_is_given_up_until_the_last_packet_is_freed) {
    run(1ms);
    {
        const niu::Memory memory = some_memory(8 << 10);
        ASSERT_TRUE(nius[0]->transfer(1, Protocol::kNoniso, memory.bytes(), memory));
    }
    run(1ms);
    niu::Received part;
    ASSERT_TRUE(nius[1]->receive(part));
    EXPECT_EQ(part.data.front(), std::byte{1});
    EXPECT_EQ(part.data[1], std::byte{2});
    nius[1]->release(part);
}

TEST(NiuMemory, says_what_is_wrong_with_memory_that_cannot_be_registered) {
    std::array<std::byte, 100> bytes{};
    EXPECT_THROW(niu::Memory::adopt(bytes), std::invalid_argument);
}

}  // namespace isoplane::test
