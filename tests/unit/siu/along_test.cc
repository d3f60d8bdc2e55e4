// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <array>
#include <isoplane/niu/dispatcher.hh>

#include "clocks.hh"

namespace isoplane::test {

/// The last host sends tokens with messages to host 0, which manages.
class SiuAlong : public testing::Test {
  protected:
    explicit SiuAlong(NodeId hosts = 3, std::uint32_t ahead = 1)
        : manager_(hosts),
          sender_(static_cast<NodeId>(hosts - 1)),
          clocks_(topology::single_switch(hosts), {.exchange = {.ahead = ahead}}, {0}),
          siu_(*clocks_.sius[0]),
          dispatcher_(clocks_.stations.niu(0)) {
        dispatcher_.attach(wire::Protocol::kToken, &siu_);
        clocks_.stations.poll_with(0, [this](Time) { dispatcher_.dispatch(); });
        EXPECT_NE(clocks_.steps_to(3), UINT_MAX);
    }
    ~SiuAlong() override { clocks_.stations.poll_with(0, nullptr); }

    void send(NodeId from, const wire::Token& token, std::span<const wire::TokenEntry> entries = {}) {
        niu::Niu& niu = clocks_.stations.niu(sender_);
        niu::SendBuffer room;
        ASSERT_NE(clocks_.stations.steps_until([&] {
            room = niu.buffer(0, wire::Protocol::kToken,
                              wire::kTokenOriginSize + wire::token_size(entries.size()));
            return static_cast<bool>(room);
        }),
                  UINT_MAX);
        wire::encode_token_origin(room.data.first<wire::kTokenOriginSize>(),
                                  {.epoch = 1, .from = from, .to = manager_});
        wire::encode_token(room.data.subspan(wire::kTokenOriginSize), token, entries);
        niu.send(room);
        clocks_.stations.run(1ms);
    }

    void send_short(const wire::Token& token) {
        niu::Niu& niu = clocks_.stations.niu(sender_);
        std::array<std::byte, wire::kShortTokenSize> message;
        wire::encode_short_token(message.data(), token);
        ASSERT_NE(clocks_.stations.steps_until([&] { return niu.send(0, wire::Protocol::kToken, message); }),
                  UINT_MAX);
        clocks_.stations.run(1ms);
    }

    /// In a frame of its own.
    void send_apart(const wire::Token& token, const std::vector<wire::TokenEntry>& entries = {}) {
        niu::Niu& niu = clocks_.stations.niu(sender_);
        EXPECT_TRUE(
            niu.send_token({.from = sender_, .to = manager_, .epoch = 1, .peer_epoch = 0}, token, entries));
        niu.push_out();
        clocks_.stations.run(1ms);
    }
    /// The sender's own are not sent any more.
    void take_its_place() {
        clocks_.sius[sender_]->be_quiet(true);
        clocks_.stations.run(1ms);
        while (!siu_.announcements().empty())
            siu_.announcements().pop();
    }

    NodeId manager_;
    NodeId sender_;
    Clocks clocks_;
    siu::Siu& siu_;
    niu::Dispatcher dispatcher_;
};

TEST_F(SiuAlong, a_token_that_comes_with_messages_is_their_senders_or_a_token_managers) {
    const siu::Siu& siu = siu_;
    send(1, {.number = 1});
    EXPECT_EQ(siu.counters().malformed.get(), 1U) << "in the name of another host";
    EXPECT_EQ(siu.counters().duplicates.get(), 0U);
    send(2, {.number = 1});
    EXPECT_EQ(siu.counters().malformed.get(), 1U);
    EXPECT_EQ(siu.counters().duplicates.get(), 1U);
    send(manager_, {.number = 1});
    EXPECT_EQ(siu.counters().malformed.get(), 1U);
    EXPECT_EQ(siu.counters().unknown.get(), 1U);
}

/// And those behind it.
TEST_F(SiuAlong, the_next_token_says_only_what_its_sender_may_say) {
    siu::Siu& siu = siu_;
    take_its_place();
    const auto send_next = [&](wire::Token token, const wire::TokenEntry& entry) {
        token.number = siu.complete() + 1;
        send(2, token, {&entry, 1});
    };
    siu::Pulse before = siu.complete();
    send_next({.wanted = 1}, {.source = 1, .destination = 0, .value = 7});
    EXPECT_EQ(siu.counters().refused.get(), 1U) << "in the name of another host";
    EXPECT_EQ(siu.complete(), before + 1);
    EXPECT_TRUE(siu.announcements().empty());

    before = siu.complete();
    send_next({.wanted = 1}, {.source = 2, .destination = 0, .value = 7});
    EXPECT_EQ(siu.counters().refused.get(), 1U);
    EXPECT_EQ(siu.complete(), before + 1);
    ASSERT_EQ(siu.announcements().size(), 1U);
    EXPECT_EQ(siu.announcements().front().pulse, before + 1);
    EXPECT_EQ(siu.announcements().front().count, 7U);

    const std::uint64_t last = siu.sent() + siu.options().ahead;
    send_next({.further = 200}, {.source = 2, .destination = 0, .value = 8});
    EXPECT_LE(siu.complete(), last) << "of those behind it more than can have been sent";
    EXPECT_EQ(siu.announcements().back().count, 8U);
}

/// Notes how long the tokens are that come along.
class Watch final : public niu::Receiver {
  public:
    explicit Watch(niu::Receiver& next) : next_(next) {}
    void take(const niu::Received& message) noexcept override {
        sizes.push_back(message.data.size());
        next_.take(message);
    }

    std::vector<std::size_t> sizes;

  private:
    niu::Receiver& next_;
};

TEST_F(SiuAlong, a_token_that_announces_no_message_right_before_it_goes_as_a_whole) {
    Watch watch(siu_);
    dispatcher_.attach(wire::Protocol::kToken, &watch);
    const std::array<std::byte, 8> other{};
    for (int i = 0; i < 300; ++i) {
        clocks_.sius[sender_]->want(true);
        clocks_.stations.niu(sender_).send(0, wire::Protocol::kNoniso, other);
        clocks_.stations.run(10us);
    }
    dispatcher_.attach(wire::Protocol::kToken, &siu_);
    EXPECT_GE(watch.sizes.size(), 10U);
    for (const std::size_t size : watch.sizes)
        EXPECT_EQ(size, wire::kTokenOriginSize + wire::kTokenSize);
}

/// Who is the only neighbour, and so nobody else is waited for.
class SiuAlongOne : public SiuAlong {
  protected:
    SiuAlongOne() : SiuAlong(2, 3) { take_its_place(); }

    static wire::TokenEntry count(std::uint32_t value) {
        return {.source = 1, .destination = 0, .value = value};
    }
    void sends(const wire::Token& token, std::uint32_t value) {
        const wire::TokenEntry entry = count(value);
        send(1, token, {&entry, 1});
    }
    std::vector<std::uint32_t> announced() {
        std::vector<std::uint32_t> values;
        for (auto& all = siu_.announcements(); !all.empty(); all.pop()) {
            pulses_.push_back(all.front().pulse);
            values.push_back(all.front().count);
        }
        return values;
    }

    std::vector<siu::Pulse> pulses_;
};

TEST_F(SiuAlongOne, a_token_completes_what_was_there_before_it) {
    const siu::Pulse before = siu_.complete();
    send_apart({.number = before + 2}, {count(9)});
    EXPECT_EQ(siu_.complete(), before);
    sends({.number = before + 1}, 8);
    EXPECT_EQ(siu_.complete(), before + 2);
    EXPECT_EQ(announced(), (std::vector<std::uint32_t>{8, 9}));
    EXPECT_EQ(pulses_, (std::vector<siu::Pulse>{before + 1, before + 2}));
    EXPECT_EQ(siu_.counters().resent.get(), 0U);
}

TEST_F(SiuAlongOne, a_token_that_comes_again_says_nothing_and_what_is_behind_it_counts) {
    const siu::Pulse before = siu_.complete();
    const std::uint64_t duplicates = siu_.counters().duplicates.get();
    sends({.number = before + 1, .further = 1}, 8);
    EXPECT_EQ(siu_.complete(), before + 2);
    send_apart({.number = before + 1}, {count(7)});
    EXPECT_EQ(siu_.counters().duplicates.get(), duplicates + 1);
    sends({.number = before + 2, .further = 1}, 6);
    EXPECT_EQ(siu_.complete(), before + 3);
    EXPECT_TRUE(announced().empty());
    send_apart({.number = before + 4}, {count(9)});
    EXPECT_EQ(siu_.complete(), before + 4);
    EXPECT_EQ(announced(), std::vector<std::uint32_t>{9});
}

TEST_F(SiuAlongOne, a_token_in_parts_is_complete_with_the_last) {
    const siu::Pulse before = siu_.complete();
    send_apart({.number = before + 1, .part = 1, .last_part = 1});
    EXPECT_EQ(siu_.complete(), before);
    sends({.number = before + 1, .last_part = 1}, 8);
    EXPECT_EQ(siu_.complete(), before + 1);
    sends({.number = before + 2}, 9);
    EXPECT_EQ(siu_.complete(), before + 2);
    EXPECT_EQ(announced(), std::vector<std::uint32_t>{8});
}

TEST_F(SiuAlongOne, a_token_in_short_is_of_the_neighbour_whose_whole_ones_came_along_before) {
    const siu::Pulse before = siu_.complete();
    send_short({.number = before + 1, .wanted = 1});
    EXPECT_EQ(siu_.counters().unknown.get(), 1U) << "none has";
    EXPECT_EQ(siu_.complete(), before);
    sends({.number = before + 1}, 8);
    send_short({.number = before + 2, .wanted = 1, .further = 1});
    EXPECT_EQ(siu_.complete(), before + 3);
    EXPECT_TRUE(announced().empty());
    send_short({.number = before + 2});
    EXPECT_EQ(siu_.complete(), before + 3);
    send_short({.number = before + 200});
    EXPECT_EQ(siu_.complete(), before + 3);
    EXPECT_GE(siu_.counters().beyond.get(), 1U);
    EXPECT_EQ(siu_.counters().malformed.get(), 0U);
}

TEST_F(SiuAlongOne, a_token_in_short_completes_what_was_there_before_it) {
    const siu::Pulse before = siu_.complete();
    sends({.number = before + 1}, 8);
    send_apart({.number = before + 3}, {count(9)});
    EXPECT_EQ(siu_.complete(), before + 1);
    send_short({.number = before + 2});
    EXPECT_EQ(siu_.complete(), before + 3);
    EXPECT_EQ(announced(), std::vector<std::uint32_t>{9});
}

TEST_F(SiuAlongOne, a_token_in_short_may_come_before_those_in_front_of_it) {
    const siu::Pulse before = siu_.complete();
    sends({.number = before + 1}, 8);
    send_short({.number = before + 3});
    EXPECT_EQ(siu_.complete(), before + 1);
    send_apart({.number = before + 2}, {count(9)});
    EXPECT_EQ(siu_.complete(), before + 3);
}

TEST_F(SiuAlongOne, what_its_sender_has_counted_came_before_a_token_that_comes_along) {
    const siu::Pulse before = siu_.complete();
    sends({.number = before + 1}, 8);
    EXPECT_EQ(siu_.complete(), before + 1);
    EXPECT_TRUE(announced().empty()) << "it need not be waited for";
    send_apart({.number = before + 2}, {count(9)});
    EXPECT_EQ(announced(), std::vector<std::uint32_t>{9}) << "that may overtake them";
    const wire::TokenEntry signal{
        .source = 1, .destination = wire::kEveryHost, .value = wire::group_signal(0)};
    send(1, {.number = before + 3}, {&signal, 1});
    EXPECT_TRUE(siu_.acts_waiting());
}

}  // namespace isoplane::test
