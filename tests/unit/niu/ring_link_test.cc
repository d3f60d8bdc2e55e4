// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/link/link.hh>
#include <isoplane/niu/niu.hh>
#include <memory>
#include <numeric>
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
            link::Link& port = *links[node];
            port.start();
            const niu::Options options{
                .node = node, .nodes = {"a", "b"}, .epoch = 1U + node, .mac = port.mac(), .window = 64};
            nius.push_back(std::make_unique<niu::Niu>(options.nodes[node], port.input(), port.output(),
                                                      niu_pool(), options));
        }
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

}  // namespace isoplane::test
