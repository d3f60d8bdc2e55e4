// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/link/link.hh>

#include "hosts.hh"

namespace isoplane::test {

namespace {

using isotach::Isochron;

/// Two hosts, each with its own port, as a program opens them: ethdevs of the ring driver, joined. Host 0 is
/// the token manager.
struct RingLink {
    RingLink()
        : links(link::open_links(link::parse_links("ring:isotach,ring:isotach"), {.pool = &station_pool()})) {
        for (NodeId node = 0; node < 2; ++node) {
            link::Link& port = *links[node];
            port.start();
            const niu::Options options{.node = node,
                                       .nodes = {"a", "b", ""},
                                       .epoch = 1U + node,
                                       .mac = port.mac(),
                                       .manages = node == 0,
                                       .window = 64};
            nius.push_back(std::make_unique<niu::Niu>(options.nodes[node], port.input(), port.output(),
                                                      station_pool(), options));
            hosts.push_back(std::make_unique<Host>(*nius.back(), paths, HostOptions{}));
        }
    }
    void run(Duration duration) {
        for (const Time end = now + duration; now < end; now += 5us) {
            for (NodeId node = 0; node < 2; ++node) {
                nius[node]->poll(now);
                hosts[node]->poll(now);
            }
        }
    }

    topology::Topology topology = topology::single_switch(2);
    topology::Paths paths{topology};
    std::vector<std::unique_ptr<link::Link>> links;
    std::vector<std::unique_ptr<niu::Niu>> nius;
    std::vector<std::unique_ptr<Host>> hosts;
    Time now{1s};
};

}  // namespace

TEST(IsotachRingLink, a_long_message_is_received_where_it_was_written) {
    {
        RingLink pair;
        pair.run(1ms);
        ASSERT_TRUE(pair.hosts[0]->siu.started());
        ASSERT_TRUE(pair.hosts[1]->siu.started());
        for (unsigned i = 0; i < 200; ++i) {
            const auto from = static_cast<NodeId>(i % 2);
            Host& sender = *pair.hosts[from];
            Host& receiver = *pair.hosts[1U - from];
            const std::size_t size = Isochron::kCopied + 1 + i * 37 % 1000;
            ASSERT_LE(size, sender.isotach.most_in_frame(static_cast<NodeId>(1 - from)));
            Isochron isochron = sender.isotach.isochron();
            const auto room = isochron.add(static_cast<NodeId>(1 - from), size);
            ASSERT_TRUE(room);
            const Bytes message = bytes(size, i);
            std::copy(message.begin(), message.end(), room->begin());
            ASSERT_TRUE(sender.isotach.send(isochron));
            pair.run(100us);
            const auto deliveries = receiver.receive();
            ASSERT_EQ(deliveries.size(), 1U);
            EXPECT_EQ(deliveries[0].data.data(), room->data()) << "it was moved";
            EXPECT_EQ(Bytes(deliveries[0].data.begin(), deliveries[0].data.end()), message);
            receiver.release(deliveries);
        }
        pair.run(1ms);
        for (const auto& host : pair.hosts) {
            EXPECT_EQ(host->isotach.counters().copied_bytes.get(), 0U);
            EXPECT_EQ(host->niu.counters().copied_bytes.get(), 0U);
        }
    }
    EXPECT_EQ(station_pool().in_use(), 0U) << "packets leaked";
}

}  // namespace isoplane::test
