// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <cstring>
#include <isoplane/noniso/remote_endpoint.hh>

#include "trio.hh"

namespace isoplane::test {

/// Node 0 has its endpoint behind rings that are full most of the time.
class FullRingsTest : public TrioTest {
  protected:
    static constexpr unsigned kPlaces = 2;
    static constexpr std::uint32_t kMessages = 500;

    FullRingsTest() { hosts[0]->dispatcher.attach(wire::Protocol::kNoniso, &stage); }
    ~FullRingsTest() override {
        stage.discard();
        hosts[0]->dispatcher.attach(wire::Protocol::kNoniso, nullptr);
    }
    void turn() {
        run(5us);
        stage.poll(now);
    }
    static std::span<const std::byte> numbered(const std::uint32_t& number) {
        return std::as_bytes(std::span(&number, 1));
    }

    noniso::EndpointLink link{kNodes, "full", kPlaces};
    noniso::EndpointStage stage{"endpoint", link, hosts[0]->niu, hosts[0]->dispatcher, hosts[0]->barrier};
    noniso::RemoteEndpoint endpoint{link, pool};
};

TEST_F(FullRingsTest, messages_to_the_program_wait_in_their_order) {
    run(1ms);
    std::uint32_t sent = 0;
    std::uint32_t next = 0;
    unsigned full = 0;
    for (unsigned turns = 0; next < kMessages; ++turns) {
        ASSERT_LT(turns, 100 * kMessages);
        while (sent < kMessages && hosts[1]->niu.send(0, wire::Protocol::kNoniso, numbered(sent)))
            ++sent;
        turn();
        full += link.received.full() ? 1 : 0;
        if (turns % 3 != 0) continue;
        for (niu::Received message; endpoint.receive(message); endpoint.release(message), ++next)
            ASSERT_EQ(std::memcmp(message.data.data(), &next, sizeof next), 0) << next;
    }
    EXPECT_GT(full, kMessages / kPlaces);
    for (int i = 0; i < 200; ++i)
        turn();
    EXPECT_EQ(hosts[0]->niu.peer(1).held, 0U);
}

TEST_F(FullRingsTest, messages_of_the_program_are_refused_and_none_that_was_taken_is_lost) {
    struct Keeper final : niu::Receiver {
        explicit Keeper(niu::Niu& from) : niu(from) {}
        void take(const niu::Received& message) noexcept override {
            EXPECT_EQ(std::memcmp(message.data.data(), &next, sizeof next), 0) << next;
            ++next;
            niu.release(message);
        }
        niu::Niu& niu;
        std::uint32_t next = 0;
    } keeper(hosts[1]->niu);
    hosts[1]->dispatcher.attach(wire::Protocol::kNoniso, &keeper);
    for (int i = 0; i < 200; ++i)
        turn();
    std::uint32_t sent = 0;
    unsigned refused = 0;
    for (unsigned turns = 0; keeper.next < kMessages; ++turns) {
        ASSERT_LT(turns, 100 * kMessages);
        while (sent < kMessages && endpoint.send(1, numbered(sent)))
            ++sent;
        if (sent < kMessages) {
            EXPECT_TRUE(link.outgoing.full());
            ++refused;
        }
        turn();
    }
    EXPECT_GE(refused, kMessages / kPlaces - 1);
    hosts[1]->dispatcher.attach(wire::Protocol::kNoniso, nullptr);
}

}  // namespace isoplane::test
