// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/niu/dispatcher.hh>

#include "clocks.hh"

namespace isoplane::test {

/// Host 2 sends tokens with messages to host 0, which manages.
class SiuAlong : public testing::Test {
  protected:
    static constexpr NodeId kManager = 3;

    SiuAlong() : dispatcher_(clocks_.stations.niu(0)) {
        dispatcher_.attach(wire::Protocol::kToken, &siu_);
        clocks_.stations.poll_with(0, [this](Time) { dispatcher_.dispatch(); });
        EXPECT_NE(clocks_.steps_to(3), UINT_MAX);
    }
    ~SiuAlong() override { clocks_.stations.poll_with(0, nullptr); }

    void send(NodeId from, const wire::Token& token, std::span<const wire::TokenEntry> entries = {}) {
        niu::Niu& niu = clocks_.stations.niu(2);
        niu::SendBuffer room;
        ASSERT_NE(clocks_.stations.steps_until([&] {
            room = niu.buffer(0, wire::Protocol::kToken,
                              wire::kTokenOriginSize + wire::token_size(entries.size()));
            return static_cast<bool>(room);
        }),
                  UINT_MAX);
        wire::encode_token_origin(room.data.first<wire::kTokenOriginSize>(),
                                  {.epoch = 1, .from = from, .to = kManager});
        wire::encode_token(room.data.subspan(wire::kTokenOriginSize), token, entries);
        niu.send(room);
        clocks_.stations.run(1ms);
    }

    Clocks clocks_{topology::single_switch(3), {}, {0}};
    siu::Siu& siu_ = *clocks_.sius[0];
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
    send(kManager, {.number = 1});
    EXPECT_EQ(siu.counters().malformed.get(), 1U);
    EXPECT_EQ(siu.counters().unknown.get(), 1U);
}

/// And those behind it.
TEST_F(SiuAlong, the_next_token_says_only_what_its_sender_may_say) {
    siu::Siu& siu = siu_;
    clocks_.sius[2]->be_quiet(true);
    clocks_.stations.run(1ms);
    while (!siu.announcements().empty())
        siu.announcements().pop();
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

}  // namespace isoplane::test
