// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "niu_test.hh"

namespace isoplane::test {

using niu::Refusal;
using niu::Ticket;
using niu::TransferState;

class TransferTest : public NiuTest {
  protected:
    /// Takes `limit` parts of what has come to b. Returns the sizes of the messages that have begun in them.
    std::vector<std::uint32_t> take(std::size_t limit = SIZE_MAX) {
        std::vector<std::uint32_t> sizes;
        for (; limit > 0 && b->receive(received); --limit, b->release(received)) {
            if (received.offset == 0) sizes.push_back(received.size);
        }
        return sizes;
    }
    std::vector<std::uint32_t> take_all() {
        std::vector<std::uint32_t> all;
        for (int i = 0; i < 200; ++i) {
            run(50us);
            for (const std::uint32_t size : take())
                all.push_back(size);
        }
        return all;
    }
    /// More than the window has room for.
    Ticket send_large(std::size_t size = 30'000) { return a->transfer(1, Protocol::kNoniso, content(size)); }

    static std::span<const std::byte> content(std::size_t size) {
        static const auto made = bytes(1 << 20);
        return std::span(made).first(size);
    }
};

/// Knows how many frames had been written whenever some left.
class Witness final : public runtime::Output {
  public:
    explicit Witness(runtime::Output& to) : Output("witness"), to_(to) {}
    void watch(const niu::Niu& sender) { sender_ = &sender; }
    const std::vector<unsigned>& written() const { return written_; }

  private:
    std::uint16_t do_send(rte_mbuf** packets, std::uint16_t n) noexcept override {
        if (sender_ != nullptr) written_.push_back(sender_->peer(1).out.next());
        return to_.send(packets, n);
    }

    runtime::Output& to_;
    const niu::Niu* sender_ = nullptr;
    std::vector<unsigned> written_;
};

TEST_F(TransferTest, the_first_frames_of_a_large_message_leave_before_the_last_are_written) {
    niu::Options of_a = options(0);
    niu::Options of_b = options(1);
    of_a.window = of_b.window = 128;
    start(of_a, of_b);
    Witness witness(to_b.output());
    a = std::make_unique<niu::Niu>("a", to_a.input(), witness, niu_pool(), of_a);
    meet();
    ASSERT_GE(b->credit(), 100U);
    const Ticket few = send_large(30'000);
    EXPECT_EQ(a->state(few), TransferState::kSent);  // without a poll, as always
    run(1ms);
    EXPECT_EQ(take(), std::vector{30'000U});
    run(1ms);
    witness.watch(*a);
    const niu::Sequence first = a->peer(1).out.next();
    const Ticket many = send_large(130'000);
    EXPECT_EQ(a->peer(1).out.next(), first + 32);
    EXPECT_EQ(a->state(many), TransferState::kWaiting);
    a->poll(now);
    EXPECT_EQ(a->state(many), TransferState::kSent);
    ASSERT_GE(witness.written().size(), 2U);
    EXPECT_EQ(witness.written()[0], first + 32);
    EXPECT_EQ(witness.written()[1], first + 64);
    EXPECT_EQ(take_all(), std::vector{130'000U});
    EXPECT_EQ(a->state(many), TransferState::kArrived);
    a.reset();
}

TEST_F(TransferTest, takes_as_many_as_may_wait_and_says_that_no_more_can) {
    meet();
    std::vector<std::uint32_t> sizes;
    const auto hand_over = [&](unsigned n) {
        for (unsigned i = 0; i < n; ++i) {
            const auto size = static_cast<std::uint32_t>(20'000 + sizes.size());
            EXPECT_TRUE(send_large(size)) << i;
            sizes.push_back(size);
        }
        EXPECT_EQ(send_large().refusal(), Refusal::kFull);
    };
    hand_over(options(0).transfers);
    run(1ms);
    EXPECT_EQ(take(), std::vector(sizes.begin(), sizes.begin() + 1));
    run(1ms);
    EXPECT_EQ(take(), std::vector(sizes.begin() + 1, sizes.begin() + 2));
    hand_over(1);
    EXPECT_EQ(take_all(), std::vector(sizes.begin() + 2, sizes.end()));
    EXPECT_TRUE(send_large());
    take_all();
}

TEST_F(TransferTest, begins_the_next_while_the_last_is_not_acknowledged) {
    meet();
    const Ticket first = send_large(10'000);  // 7 frames of the 12
    const Ticket second = send_large(10'000);
    EXPECT_EQ(a->state(first), TransferState::kSent);
    EXPECT_EQ(a->state(second), TransferState::kWaiting);
    EXPECT_EQ(a->peer(1).out.size(), unsigned{kOrdinaryFrames});
    EXPECT_EQ(take_all(), (std::vector<std::uint32_t>{10'000, 10'000}));
}

TEST_F(TransferTest, tells_what_has_become_of_each) {
    meet();
    const Ticket large = send_large();
    const Ticket small = a->transfer(1, Protocol::kNoniso, content(10));
    const Ticket none = a->transfer(1, Protocol::kNoniso, {});
    EXPECT_EQ(a->state(large), TransferState::kWaiting);
    run(1ms);
    EXPECT_EQ(a->state(small), TransferState::kWaiting) << "nobody has taken what is before it";
    EXPECT_EQ(take_all(), (std::vector<std::uint32_t>{30'000, 10, 0}));
    EXPECT_EQ(a->state(large), TransferState::kArrived);
    EXPECT_EQ(a->state(none), TransferState::kArrived);
    const Ticket alone = a->transfer(1, Protocol::kNoniso, content(10));
    EXPECT_EQ(a->state(alone), TransferState::kSent);
    EXPECT_EQ(a->state(small), TransferState::kArrived);
    take_all();
    EXPECT_EQ(a->state(alone), TransferState::kArrived);
}

TEST_F(TransferTest, keeps_the_order_of_small_messages_between_large_ones) {
    meet();
    std::vector<std::uint32_t> sent;
    for (std::uint32_t i = 0; sent.size() < 60 && i < 100'000; ++i) {
        const std::uint32_t size = sent.size() % 3 == 1 ? 5 : 5000 + static_cast<std::uint32_t>(sent.size());
        const bool taken = size == 5 ? a->send(1, Protocol::kNoniso, content(size)) : bool{send_large(size)};
        if (taken) {
            sent.push_back(size);
        } else {
            run(5us);
            take(3);
        }
        EXPECT_LE(a->counters().messages_sent.get(), 60U * 4);
    }
    EXPECT_EQ(sent.size(), 60U);
    run(1ms);
    take_all();
    EXPECT_EQ(b->counters().broken_message.get(), 0U);
}

TEST_F(TransferTest, some_messages_go_ahead_of_large_ones_that_wait) {
    meet();
    const auto first = send_large(5'000);
    const auto large = send_large(100'000);
    const auto small = a->transfer(1, Protocol::kNoniso, content(10));
    run(1ms);
    const std::vector<std::byte> ahead(wire::kIsotachSize + 3);
    std::vector<std::pair<Protocol, std::uint32_t>> came;
    std::uint32_t here = 0;
    const auto take_one = [&] {
        if (!b->receive(received)) return;
        if (received.protocol == Protocol::kNoniso) {
            EXPECT_EQ(received.offset, received.size == 10 ? 0U : here % received.size);
            here = received.offset + static_cast<std::uint32_t>(received.data.size());
            if (here < received.size) return b->release(received);
            EXPECT_TRUE(std::ranges::equal(received.data, content(received.size).last(received.data.size())));
            here = 0;
        }
        came.emplace_back(received.protocol, received.size);
        b->release(received);
    };
    unsigned sent = 0;
    for (int i = 0; i < 2000 && came.size() < 3 + 20; ++i, run(20us)) {
        EXPECT_FALSE(a->transferring(1) && a->buffer(1, Protocol::kIsotach, 24, niu::Urgency::kUrgent));
        if (i % 3 == 0) static_cast<void>(a->buffer(1, Protocol::kIsotach, 30, niu::Urgency::kAhead));
        if (sent < 20 && a->state(first) == TransferState::kArrived) {
            const auto room = a->buffer(1, Protocol::kIsotach, ahead.size(), niu::Urgency::kAhead);
            if (room) {
                std::ranges::copy(ahead, room.data.begin());
                a->send(room);
                ++sent;
            }
        }
        take_one();
        const auto& waiting = a->peer(1).transfers;
        EXPECT_EQ(a->state(large) == TransferState::kWaiting,
                  !waiting.empty() && waiting.front().size == 100'000)
            << i;
    }
    ASSERT_EQ(sent, 20U);
    ASSERT_EQ(came.size(), 23U);
    EXPECT_EQ(came.front(), std::pair(Protocol::kNoniso, 5'000U));
    const auto place = std::ranges::find(came, std::pair(Protocol::kNoniso, 100'000U)) - came.begin();
    EXPECT_GT(place, 10) << "they went ahead";
    run(1ms);
    EXPECT_EQ(a->state(large), TransferState::kArrived);
    EXPECT_EQ(a->state(small), TransferState::kArrived);
    EXPECT_EQ(b->counters().broken_message.get(), 0U);
    const auto anew = send_large(5'000);
    EXPECT_EQ(a->state(anew), TransferState::kSent);
    take_all();
    EXPECT_EQ(a->state(anew), TransferState::kArrived);
    // As long after them as those that went ahead would seem to be still to come.
    const niu::Peer& peer = a->peer(1);
    EXPECT_EQ(peer.ahead.number(peer.out.next() + 0x80000000U) - peer.ahead.number(peer.out.next()),
              0x80000000U);
}

TEST_F(TransferTest, lets_small_messages_have_their_turn_though_large_ones_never_end) {
    meet();
    unsigned small = 0;
    for (int i = 0; i < 2000; ++i) {
        while (send_large()) {
        }
        small += a->send(1, Protocol::kActive, content(1)) ? 1 : 0;
        run(50us);
        take();
    }
    EXPECT_GT(small, 10U);
    take_all();
}

TEST_F(TransferTest, says_why_it_takes_none) {
    EXPECT_EQ(send_large().refusal(), Refusal::kNotUp);
    meet();
    EXPECT_EQ(a->transfer(1, Protocol::kNoniso, {content(1).data(), std::size_t{1} << 32}).refusal(),
              Refusal::kTooLarge);
    a->close();
    EXPECT_EQ(send_large().refusal(), Refusal::kClosing);
    EXPECT_EQ(a->transfer(1, Protocol::kNoniso, content(1)).refusal(), Refusal::kClosing);
}

TEST_F(TransferTest, tells_each_sender_when_the_peer_dies_and_lets_go_of_memory_once) {
    meet();
    const niu::Memory memory = niu::Memory::allocate(1 << 16);
    niu::Options registering = options(0);
    registering.chains = registering.in_process = true;
    registering.epoch = 20;
    registering.silence = 10ms;
    start(registering, options(1));
    meet();
    const Ticket arrived = send_large(5'000);
    take_all();
    std::vector<Ticket> tickets;
    for (int i = 0; i < 10; ++i)
        tickets.push_back(a->transfer(1, Protocol::kNoniso, memory.bytes(), memory));
    EXPECT_TRUE(memory.busy());
    b.reset();
    run(50ms);
    ASSERT_EQ(a->state(1), PeerState::kDead);
    to_b.drain();
    run(1ms);
    for (const Ticket& ticket : tickets)
        EXPECT_EQ(a->state(ticket), TransferState::kLost);
    EXPECT_EQ(a->state(arrived), TransferState::kArrived);
    EXPECT_FALSE(memory.busy());
    EXPECT_EQ(rte_mbuf_ext_refcnt_read(&memory.region()->references), 1);
    EXPECT_EQ(send_large().refusal(), Refusal::kNotUp);
}

TEST_F(TransferTest, remembers_what_became_of_them_in_the_last_life_of_their_receiver) {
    niu::Options of_a = options(0);
    of_a.displace = of_a.silence = 10ms;
    start(of_a, options(1));
    meet();
    const Ticket arrived = send_large(5'000);
    take_all();
    const Ticket lost = send_large(100'000);
    niu::Options again = options(1);
    again.epoch = 12;
    b = std::make_unique<niu::Niu>("b", to_b.input(), to_a.output(), niu_pool(), again);
    run(100ms);
    ASSERT_EQ(a->peer(1).epoch, 12U);
    EXPECT_EQ(a->state(arrived), TransferState::kArrived);
    EXPECT_EQ(a->state(lost), TransferState::kLost);
    const Ticket anew = send_large(5'000);
    EXPECT_EQ(a->state(anew), TransferState::kSent);
    take_all();
    EXPECT_EQ(a->state(anew), TransferState::kArrived);
}

}  // namespace isoplane::test
