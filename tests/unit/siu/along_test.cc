// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/niu/dispatcher.hh>

#include "clocks.hh"

namespace isoplane::test {

/// Host 2 sends tokens with messages to host 0, which manages.
TEST(SiuAlong, a_token_that_comes_with_messages_is_their_senders_or_a_token_managers) {
    Clocks clocks(topology::single_switch(3), {}, {0});
    siu::Siu& siu = *clocks.sius[0];
    niu::Dispatcher dispatcher(clocks.stations.niu(0));
    dispatcher.attach(wire::Protocol::kToken, &siu);
    clocks.stations.poll_with(0, [&](Time) { dispatcher.dispatch(); });
    ASSERT_NE(clocks.steps_to(3), UINT_MAX);
    constexpr NodeId kManager = 3;
    const auto send = [&](NodeId from) {
        constexpr std::size_t kSize = wire::kTokenOriginSize + wire::token_size(0);
        niu::Niu& niu = clocks.stations.niu(2);
        niu::SendBuffer room;
        ASSERT_NE(clocks.stations.steps_until([&] {
            room = niu.buffer(0, wire::Protocol::kToken, kSize);
            return static_cast<bool>(room);
        }),
                  UINT_MAX);
        wire::encode_token_origin(room.data.first<wire::kTokenOriginSize>(),
                                  {.epoch = 1, .from = from, .to = kManager});
        wire::encode_token(room.data.subspan(wire::kTokenOriginSize), {.number = 1}, {});
        niu.send(room);
        clocks.stations.run(100us);
    };
    send(1);
    EXPECT_EQ(siu.counters().malformed.get(), 1U) << "in the name of another host";
    EXPECT_EQ(siu.counters().duplicates.get(), 0U);
    send(2);
    EXPECT_EQ(siu.counters().malformed.get(), 1U);
    EXPECT_EQ(siu.counters().duplicates.get(), 1U);
    send(kManager);
    EXPECT_EQ(siu.counters().malformed.get(), 1U);
    EXPECT_EQ(siu.counters().unknown.get(), 1U);
    clocks.stations.poll_with(0, nullptr);
}

/// Host 2 sends its next token, and those behind it, with messages to host 0, which manages.
TEST(SiuAlong, the_next_token_says_only_what_its_sender_may_say) {
    Clocks clocks(topology::single_switch(3), {}, {0});
    siu::Siu& siu = *clocks.sius[0];
    niu::Dispatcher dispatcher(clocks.stations.niu(0));
    dispatcher.attach(wire::Protocol::kToken, &siu);
    clocks.stations.poll_with(0, [&](Time) { dispatcher.dispatch(); });
    ASSERT_NE(clocks.steps_to(3), UINT_MAX);
    clocks.sius[2]->be_quiet(true);
    clocks.stations.run(1ms);
    while (!siu.announcements().empty())
        siu.announcements().pop();
    const auto send = [&](wire::Token token, wire::TokenEntry entry) {
        constexpr std::size_t kSize = wire::kTokenOriginSize + wire::token_size(1);
        niu::Niu& niu = clocks.stations.niu(2);
        niu::SendBuffer room;
        ASSERT_NE(clocks.stations.steps_until([&] {
            room = niu.buffer(0, wire::Protocol::kToken, kSize);
            return static_cast<bool>(room);
        }),
                  UINT_MAX);
        wire::encode_token_origin(room.data.first<wire::kTokenOriginSize>(),
                                  {.epoch = 1, .from = 2, .to = 3});
        token.number = siu.complete() + 1;
        wire::encode_token(room.data.subspan(wire::kTokenOriginSize), token, {&entry, 1});
        niu.send(room);
        clocks.stations.run(1ms);
    };
    siu::Pulse before = siu.complete();
    send({.wanted = 1}, {.source = 1, .destination = 0, .value = 7});
    EXPECT_EQ(siu.counters().refused.get(), 1U) << "in the name of another host";
    EXPECT_EQ(siu.complete(), before + 1);
    EXPECT_TRUE(siu.announcements().empty());

    before = siu.complete();
    send({.wanted = 1}, {.source = 2, .destination = 0, .value = 7});
    EXPECT_EQ(siu.counters().refused.get(), 1U);
    EXPECT_EQ(siu.complete(), before + 1);
    ASSERT_EQ(siu.announcements().size(), 1U);
    EXPECT_EQ(siu.announcements().front().pulse, before + 1);
    EXPECT_EQ(siu.announcements().front().count, 7U);

    const std::uint64_t last = siu.sent() + siu.options().ahead;
    send({.further = 200}, {.source = 2, .destination = 0, .value = 8});
    EXPECT_LE(siu.complete(), last) << "of those behind it more than can have been sent";
    EXPECT_EQ(siu.announcements().back().count, 8U);
    clocks.stations.poll_with(0, nullptr);
}

}  // namespace isoplane::test
