// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <isoplane/runtime/ring.hh>
#include <optional>

#include "capture/any_frame.hh"
#include "made_frames.hh"
#include "replay/player.hh"

namespace isoplane::test {
namespace {

using namespace std::chrono_literals;
using replay::Player;
using replay::Rewrite;

class Playing : public ::testing::Test {
  protected:
    ~Playing() override {
        player_.reset();
        ring_.drain();
        EXPECT_EQ(pool_.in_use(), 0U);
    }

    /// Everything that has left, in order.
    std::vector<Bytes> arrived() {
        std::vector<Bytes> all;
        runtime::Burst burst;
        while (const std::uint16_t n = ring_.input().receive(burst))
            for (std::uint16_t i = 0; i < n; ++i) {
                const runtime::Packet packet(burst[i]);
                all.emplace_back(packet.data().begin(), packet.data().end());
            }
        return all;
    }

    static replay::TraceFrame trace_frame(const Bytes& bytes) {
        return {.bytes = bytes, .length = static_cast<std::uint32_t>(bytes.size())};
    }

    runtime::Pool pool_{"player", 511, runtime::Pool::room_for(1500)};
    runtime::Ring ring_{"player", 128};
    bool stopped_ = false;
    std::optional<Player> player_{std::in_place, ring_.output(), pool_, 1500, [this] { return stopped_; }};
};

TEST_F(Playing, sends_frames_byte_for_byte_in_order) {
    std::vector<Bytes> frames;
    for (std::uint32_t i = 0; i < 100; ++i)
        frames.push_back(data(0, 1, i, words(std::string(i, 'x'))));
    player_->begin();
    for (const Bytes& each : frames)
        ASSERT_TRUE(player_->play(trace_frame(each), 0ns, false, {}));
    ASSERT_TRUE(player_->flush());
    EXPECT_EQ(arrived(), frames);
    EXPECT_EQ(player_->finish().frames, 100U);
    EXPECT_EQ(player_->played().late.count(), 0U);
}

TEST_F(Playing, sends_nothing_before_it_is_due) {
    const Bytes bytes = data(0, 1, 0, words("message"));
    const runtime::TscClock clock;
    player_->begin();
    const runtime::Time begun = clock.now();
    ASSERT_TRUE(player_->play(trace_frame(bytes), 0ns, true, {}));
    ASSERT_TRUE(player_->play(trace_frame(bytes), 3ms, true, {}));
    EXPECT_GE(clock.now() - begun, 2900us);
    EXPECT_EQ(arrived().size(), 1U) << "the first left before the wait for the second";
    ASSERT_TRUE(player_->flush());
    EXPECT_EQ(arrived().size(), 1U);
    EXPECT_EQ(player_->played().late.count(), 2U);
}

TEST_F(Playing, counts_what_the_link_cannot_take) {
    player_->begin();
    ASSERT_TRUE(player_->play(trace_frame(Bytes(1515)), 0ns, false, {}));
    ASSERT_TRUE(player_->play(trace_frame(Bytes(13)), 0ns, false, {}));
    const Bytes bytes(100);
    ASSERT_TRUE(player_->play({.bytes = bytes, .length = 120}, 0ns, false, {}));
    ASSERT_TRUE(player_->flush());
    EXPECT_EQ(player_->played().too_long, 1U);
    EXPECT_EQ(player_->played().runts, 1U);
    EXPECT_EQ(player_->played().cut, 1U);
    EXPECT_EQ(arrived().size(), 1U);
}

TEST_F(Playing, changes_frames_on_their_way) {
    Rewrite rewrite;
    rewrite.add_node("1=4");
    player_->begin();
    ASSERT_TRUE(player_->play(trace_frame(data(0, 1, 0, words("message"))), 0ns, false, rewrite));
    ASSERT_TRUE(player_->flush());
    const auto frames = arrived();
    ASSERT_EQ(frames.size(), 1U);
    EXPECT_EQ(capture::read_any(frames[0]).decoded.header.destination, 4);
}

TEST_F(Playing, ends_when_it_is_stopped_before_a_link_that_takes_nothing) {
    Rewrite rewrite;
    rewrite.add_node("0=7");
    const Bytes bytes = data(0, 1, 0, ordered({.host = 0, .flags = wire::kIsotachHandover}));
    const replay::TraceFrame cut{.bytes = bytes, .length = 200};
    player_->begin();
    bool goes_on = true;
    for (unsigned i = 0; i < 400 && goes_on; ++i) {
        stopped_ = i >= 150;
        goes_on = player_->play(cut, 0ns, false, rewrite);
    }
    EXPECT_FALSE(goes_on);
    EXPECT_EQ(player_->played().frames, 128U);
    EXPECT_EQ(player_->played().bytes, 128 * bytes.size());
    EXPECT_EQ(player_->played().cut, 128U);
    EXPECT_EQ(player_->played().kept, 128U);
}

}  // namespace
}  // namespace isoplane::test
