// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

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

}  // namespace isoplane::test
