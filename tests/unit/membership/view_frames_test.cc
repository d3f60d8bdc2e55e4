// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <isoplane/wire/hello.hh>
#include <utility>
#include <vector>

#include "stations.hh"

namespace isoplane::test {

namespace {

/// What comes to a node.
struct Listener final : niu::ViewReceiver {
    void on_view(NodeId from, std::uint32_t epoch, const wire::ViewMessage& message) noexcept override {
        came.push_back({from, message});
        EXPECT_EQ(epoch, 1U);
    }

    std::vector<std::pair<NodeId, wire::ViewMessage>> came{};
};

class ViewFrames : public testing::Test {
  protected:
    static constexpr NodeId kHosts = 40;

    ViewFrames() : stations_(topology::single_switch(kHosts), {.mtu = wire::kMinMtu}) {
        for (NodeId node = 1; node < kHosts; ++node)
            stations_.niu(node).attach(&listeners_[node]);
    }
    /// It names all.
    static wire::ViewMessage message(std::uint32_t number) {
        wire::ViewMessage message{.step = wire::ViewStep::kDecided, .next = {.number = number}};
        for (NodeId node = 0; node < kHosts; ++node)
            message.next.members.push_back({node, node, 7});
        return message;
    }
    void say(std::uint32_t number) {
        for (NodeId node = 1; node < kHosts; ++node)
            stations_.niu(0).send_view(node, message(number));
    }
    void expect_all_heard(std::uint32_t number) {
        for (NodeId node = 1; node < kHosts; ++node) {
            const auto& came = listeners_[node].came;
            ASSERT_FALSE(came.empty()) << node;
            EXPECT_EQ(came.back(), (std::pair{NodeId{0}, message(number)})) << node;
        }
    }

    Stations stations_;
    Listener listeners_[kHosts];
};

}  // namespace

TEST_F(ViewFrames, leave_for_all_though_the_output_does_not_take_all_at_once) {
    stations_.narrow(0, 3);
    say(1);
    stations_.run(5ms);
    expect_all_heard(1);
    for (NodeId node = 1; node < kHosts; ++node)
        EXPECT_EQ(listeners_[node].came.size(), 1U) << node;
}

TEST_F(ViewFrames, of_what_is_said_again_and_again_do_not_pile_up) {
    stations_.clog(0);
    for (int again = 0; again < 1000; ++again) {
        say(1);
        stations_.step();
    }
    stations_.narrow(0, 3);
    stations_.run(5ms);
    expect_all_heard(1);
    for (NodeId node = 1; node < kHosts; ++node)
        EXPECT_LE(listeners_[node].came.size(), 2U) << node << ": once more if it had left already";
}

TEST_F(ViewFrames, give_way_to_what_is_said_later) {
    stations_.clog(0);
    say(1);
    say(2);
    stations_.clog(0, false);
    stations_.run(5ms);
    expect_all_heard(2);
    EXPECT_EQ(listeners_[kHosts - 1].came.size(), 1U);
}

TEST_F(ViewFrames, leave_in_the_order_in_which_they_were_said) {
    constexpr NodeId kFirst = kHosts - 2;
    constexpr NodeId kSecond = kHosts - 1;
    stations_.clog(0);
    say(1);
    stations_.niu(0).send_view(kFirst, message(2));
    stations_.narrow(0, 1);
    ASSERT_NE(stations_.steps_until([&] { return !listeners_[kFirst].came.empty(); }), UINT_MAX);
    EXPECT_EQ(listeners_[kFirst].came.front().second, message(2));
    EXPECT_EQ(listeners_[kSecond].came.size(), 1U) << "what was said to it before";
}

}  // namespace isoplane::test
