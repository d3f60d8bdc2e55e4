// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <isoplane/noniso/remote_endpoint.hh>

#include "trio.hh"

namespace isoplane::test {

using noniso::PeerState;

/// Node 0 has its endpoint behind rings; here both ends are polled by one thread.
class RemoteEndpointTest : public TrioTest {
  protected:
    RemoteEndpointTest() {
        hosts[0]->dispatcher.attach(wire::Protocol::kNoniso, &stage);
        run_all(1ms);
    }
    ~RemoteEndpointTest() override {
        stage.discard();
        hosts[0]->dispatcher.attach(wire::Protocol::kNoniso, nullptr);
    }
    void run_all(runtime::Duration duration) {
        for (const Time end = now + duration; now < end;) {
            run(5us);
            stage.poll(now);
        }
    }
    static std::vector<std::byte> bytes(std::size_t n) { return std::vector<std::byte>(n, std::byte{0x5a}); }

    noniso::EndpointLink link{kNodes};
    noniso::EndpointStage stage{"endpoint", link, hosts[0]->niu, hosts[0]->dispatcher, hosts[0]->barrier};
    noniso::RemoteEndpoint endpoint{link, pool};
    niu::Received received;
};

TEST_F(RemoteEndpointTest, knows_who_is_up) {
    EXPECT_EQ(endpoint.state(1), PeerState::kUp);
    EXPECT_EQ(endpoint.max_message(1), hosts[0]->niu.max_message(1));
}

TEST_F(RemoteEndpointTest, sends_a_large_message_from_where_it_was_written) {
    const niu::SendBuffer room = endpoint.buffer(1, 1000);
    ASSERT_TRUE(room);
    std::fill(room.data.begin(), room.data.end(), std::byte{0x5a});
    endpoint.send(room);
    stage.poll(now);
    hosts[0]->niu.poll(now);
    run(50us);
    EXPECT_EQ(hosts[0]->niu.counters().copied_bytes.get(), 0U);
    EXPECT_EQ(hosts[0]->niu.counters().messages_sent.get(), 1U);
    run_all(1ms);
}

TEST_F(RemoteEndpointTest, tells_what_becomes_of_a_packet_that_the_program_keeps) {
    runtime::Packet kept = pool.packet();
    ASSERT_NE(rte_pktmbuf_append(kept.get(), 1000), nullptr);
    const std::byte* const data = kept.data().data();
    rte_mbuf_refcnt_update(kept.get(), 1);
    runtime::Packet going(kept.get());
    const niu::Ticket ticket = endpoint.send(1, going);
    ASSERT_TRUE(ticket);
    EXPECT_FALSE(going);
    EXPECT_NE(endpoint.state(ticket), niu::TransferState::kArrived);
    // What is small does not get into its room.
    EXPECT_TRUE(endpoint.send(1, bytes(10)));
    run_all(1ms);
    EXPECT_EQ(endpoint.state(ticket), niu::TransferState::kArrived);
    EXPECT_EQ(rte_mbuf_refcnt_read(kept.get()), 1);
    EXPECT_EQ(rte_pktmbuf_mtod(kept.get(), const std::byte*) + kept.data().size(), data + 1000);
    EXPECT_EQ(hosts[0]->niu.counters().frames_sent.get(), 2U);

    hosts[1].reset();
    going = pool.packet();
    const niu::Ticket lost = endpoint.send(1, going);
    ASSERT_TRUE(lost);
    run_all(500ms);
    EXPECT_EQ(endpoint.state(lost), niu::TransferState::kLost);
    going = pool.packet();
    EXPECT_EQ(endpoint.send(1, going).refusal(), niu::Refusal::kNotUp);
    EXPECT_TRUE(going);
}

TEST_F(RemoteEndpointTest, keeps_the_order_of_messages_large_and_small) {
    struct Keeper final : niu::Receiver {
        explicit Keeper(niu::Niu& from) : niu(from) {}
        void take(const niu::Received& message) noexcept override {
            sizes.push_back(message.size);
            niu.release(message);
        }
        niu::Niu& niu;
        std::vector<std::uint32_t> sizes;
    } keeper(hosts[1]->niu);
    hosts[1]->dispatcher.attach(wire::Protocol::kNoniso, &keeper);
    std::vector<std::uint32_t> sent;
    for (unsigned i = 0; sent.size() < 500; ++i) {
        const std::uint32_t size = i % 3 == 0 ? 1200 + i % 100 : i % 64;
        if (endpoint.send(1, bytes(size))) sent.push_back(size);
        run_all(5us);
    }
    run_all(5ms);
    EXPECT_EQ(keeper.sizes, sent);
    hosts[1]->dispatcher.attach(wire::Protocol::kNoniso, nullptr);
}

TEST_F(RemoteEndpointTest, offers_no_room_when_too_much_waits_for_a_node_and_others_do_not_suffer) {
    unsigned accepted = 0;
    for (unsigned i = 0; i < 1000; ++i) {
        accepted += endpoint.send(1, bytes(1000)) ? 1 : 0;
        stage.poll(now);
    }
    EXPECT_LT(accepted, 200U);
    EXPECT_TRUE(endpoint.send(2, bytes(1000)));
    run_all(10ms);
    EXPECT_TRUE(endpoint.send(1, bytes(1000)));
    run_all(1ms);
}

TEST_F(RemoteEndpointTest, receives_by_pointer_and_gives_the_credit_back) {
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE(hosts[1]->niu.send(0, wire::Protocol::kNoniso, bytes(1000))) << i;
        run_all(50us);
        ASSERT_TRUE(endpoint.waiting());
        ASSERT_TRUE(endpoint.receive(received));
        EXPECT_EQ(received.source, 1);
        EXPECT_EQ(std::vector<std::byte>(received.data.begin(), received.data.end()), bytes(1000));
        endpoint.release(received);
        run_all(50us);
    }
    EXPECT_FALSE(endpoint.receive(received));
    EXPECT_EQ(hosts[1]->niu.counters().copied_bytes.get(), 100'000U);  // by send() from memory
    EXPECT_EQ(hosts[0]->niu.counters().copied_bytes.get(), 0U);
}

TEST_F(RemoteEndpointTest, shares_a_packet_whose_data_is_to_stay) {
    ASSERT_TRUE(hosts[1]->niu.send(0, wire::Protocol::kNoniso, bytes(1000)));
    run_all(50us);
    ASSERT_TRUE(endpoint.receive(received));
    EXPECT_TRUE(received.alone);
    const runtime::Packet shared = received.share();
    endpoint.release(received);
    run_all(1ms);
    EXPECT_EQ(hosts[0]->niu.peer(1).held, 0U);
    EXPECT_EQ(rte_mbuf_refcnt_read(shared.get()), 1);
    EXPECT_EQ(std::vector<std::byte>(received.data.begin(), received.data.end()), bytes(1000));

    for (int i = 0; i < 2; ++i)
        ASSERT_TRUE(hosts[1]->niu.send(0, wire::Protocol::kNoniso, bytes(10)));
    run_all(50us);
    for (int i = 0; i < 2; ++i) {
        ASSERT_TRUE(endpoint.receive(received));
        EXPECT_FALSE(received.alone);
        endpoint.release(received);
    }
    run_all(1ms);
}

TEST_F(RemoteEndpointTest, enters_barriers_after_what_was_sent_before) {
    EXPECT_EQ(endpoint.barrier(), BarrierState::kNone);
    for (int round = 1; round <= 3; ++round) {
        for (int i = 0; i < 40; ++i)
            ASSERT_TRUE(endpoint.send(1, bytes(10)));
        ASSERT_TRUE(endpoint.enter_barrier());
        EXPECT_FALSE(endpoint.enter_barrier());
        barrier(1).enter();
        run_all(1ms);
        EXPECT_EQ(endpoint.barrier(), BarrierState::kRunning);
        barrier(2).enter();
        run_all(1ms);
        EXPECT_EQ(endpoint.barrier(), BarrierState::kComplete);
        EXPECT_EQ(hosts[1]->dispatcher.unclaimed(), 40U * static_cast<unsigned>(round));
    }
}

TEST_F(RemoteEndpointTest, does_not_give_a_node_that_has_started_again_what_was_meant_for_its_last_life) {
    const std::uint32_t before = endpoint.buffer(1, 1).epoch;
    // The program has not looked for long: what it writes now is for the life that it knows.
    start(1, 2);
    run(500ms);
    ASSERT_EQ(hosts[0]->niu.state(1), PeerState::kUp);
    EXPECT_TRUE(endpoint.send(1, bytes(1000)));
    run_all(1ms);
    EXPECT_EQ(hosts[1]->dispatcher.unclaimed(), 0U);
    const niu::SendBuffer room = endpoint.buffer(1, 1000);
    ASSERT_TRUE(room);
    EXPECT_NE(room.epoch, before);
    endpoint.send(room);
    run_all(1ms);
    EXPECT_EQ(hosts[1]->dispatcher.unclaimed(), 1U);
}

/// Else an answer to its first message would go to the life before, and nobody have it.
TEST_F(RemoteEndpointTest, says_that_a_node_has_started_again_before_its_messages_are_received) {
    for (std::uint32_t life = 2; life < 2 + kNodes; ++life) {
        start(1, life);
        run(500ms);
        ASSERT_TRUE(hosts[1]->niu.send(0, wire::Protocol::kNoniso, bytes(100)));
        run(1ms);
        stage.poll(now);
        ASSERT_TRUE(endpoint.receive(received));
        EXPECT_EQ(endpoint.state(1), PeerState::kUp);
        EXPECT_EQ(endpoint.epoch(1), life);
        endpoint.release(received);
        stage.poll(now);
    }
}

TEST_F(RemoteEndpointTest, says_that_a_node_is_dead_and_frees_what_was_meant_for_it) {
    hosts[1].reset();
    for (int i = 0; i < 30; ++i)
        EXPECT_TRUE(endpoint.send(1, bytes(1000)));
    run_all(500ms);
    EXPECT_EQ(endpoint.state(1), PeerState::kDead);
    EXPECT_FALSE(endpoint.send(1, bytes(1)));
    ASSERT_TRUE(endpoint.enter_barrier());
    run_all(1ms);
    EXPECT_EQ(endpoint.barrier(), BarrierState::kBroken);
}

/// Puts together what comes to a node, and checks that it is what bytes() makes.
struct Collector final : niu::Receiver {
    explicit Collector(niu::Niu& from) : niu(from) {}
    void take(const niu::Received& part) noexcept override {
        EXPECT_EQ(part.offset, have);
        EXPECT_TRUE(std::all_of(part.data.begin(), part.data.end(),
                                [](std::byte b) { return b == std::byte{0x5a}; }));
        have += part.data.size();
        if (have == part.size) {
            sizes.push_back(part.size);
            have = 0;
        }
        niu.release(part);
    }
    niu::Niu& niu;
    std::size_t have = 0;
    std::vector<std::uint32_t> sizes;
};

TEST_F(RemoteEndpointTest, transfers_messages_of_any_size_in_order_with_the_others) {
    Collector collector(hosts[1]->niu);
    hosts[1]->dispatcher.attach(wire::Protocol::kNoniso, &collector);
    const auto content = bytes(300'000);
    const std::span<const std::byte> all(content);
    std::vector<niu::Ticket> tickets;
    for (const std::size_t size : {100'000U, 10U, 0U, 300'000U}) {
        tickets.push_back(endpoint.transfer(1, all.first(size)));
        EXPECT_TRUE(tickets.back());
        EXPECT_TRUE(endpoint.send(1, all.first(20)));
    }
    EXPECT_EQ(endpoint.state(tickets[0]), niu::TransferState::kWaiting);
    run_all(10ms);
    EXPECT_EQ(collector.sizes, (std::vector<std::uint32_t>{100'000, 20, 10, 20, 0, 20, 300'000, 20}));
    for (const niu::Ticket& ticket : tickets)
        EXPECT_EQ(endpoint.state(ticket), niu::TransferState::kArrived);
    hosts[1]->dispatcher.attach(wire::Protocol::kNoniso, nullptr);
}

TEST_F(RemoteEndpointTest, keeps_registered_memory_busy_from_the_call_on) {
    niu::Memory memory = niu::Memory::allocate(50'000);
    const niu::Ticket ticket = endpoint.transfer(1, memory.bytes(), memory);
    ASSERT_TRUE(ticket);
    EXPECT_TRUE(memory.busy());
    run_all(5ms);
    EXPECT_EQ(endpoint.state(ticket), niu::TransferState::kArrived);
    EXPECT_FALSE(memory.busy());
    EXPECT_EQ(rte_mbuf_ext_refcnt_read(&memory.region()->references), 1);
}

TEST_F(RemoteEndpointTest, takes_no_more_large_messages_than_may_wait) {
    const auto content = bytes(100'000);
    unsigned taken = 0;
    while (taken < 1000 && endpoint.transfer(1, content))
        ++taken;
    EXPECT_EQ(endpoint.transfer(1, content).refusal(), niu::Refusal::kFull);
    EXPECT_LT(taken, 200U);
    run_all(100ms);
    EXPECT_TRUE(endpoint.transfer(1, content));
    run_all(5ms);
}

TEST_F(RemoteEndpointTest, receives_the_parts_of_a_large_message_by_pointer) {
    const auto content = bytes(20'000);
    ASSERT_TRUE(hosts[1]->niu.transfer(0, wire::Protocol::kNoniso, content));
    run_all(1ms);
    std::size_t have = 0;
    for (; endpoint.receive(received); endpoint.release(received)) {
        EXPECT_EQ(received.offset, have);
        EXPECT_EQ(received.size, content.size());
        have += received.data.size();
        run_all(100us);
    }
    run_all(1ms);
    while (endpoint.receive(received)) {
        have += received.data.size();
        endpoint.release(received);
    }
    EXPECT_EQ(have, content.size());
    EXPECT_EQ(hosts[0]->niu.counters().copied_bytes.get(), 0U);
    run_all(1ms);
}

TEST_F(RemoteEndpointTest, tells_which_large_messages_were_lost_with_their_receiver) {
    const auto content = bytes(20'000);
    const niu::Ticket arrived = endpoint.transfer(1, content);
    run_all(5ms);
    hosts[1].reset();
    std::vector<niu::Ticket> lost;
    for (int i = 0; i < 10; ++i)
        lost.push_back(endpoint.transfer(1, content));
    run_all(500ms);
    EXPECT_EQ(endpoint.state(arrived), niu::TransferState::kArrived);
    for (const niu::Ticket& ticket : lost)
        EXPECT_EQ(endpoint.state(ticket), niu::TransferState::kLost);
    EXPECT_EQ(endpoint.transfer(1, content).refusal(), niu::Refusal::kNotUp);
    start(1, 2);
    run_all(500ms);
    EXPECT_EQ(endpoint.state(arrived), niu::TransferState::kArrived);
    EXPECT_EQ(endpoint.state(lost.front()), niu::TransferState::kLost);
    const niu::Ticket anew = endpoint.transfer(1, content);
    run_all(5ms);
    EXPECT_EQ(endpoint.state(anew), niu::TransferState::kArrived);
}

}  // namespace isoplane::test
