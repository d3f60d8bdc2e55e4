// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gmock/gmock-matchers.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <fstream>

#include "link_test.hh"

namespace isoplane::link {
namespace {

/// Both kinds that join two processes through a unix socket, and the option that names a side.
struct Kind {
    std::string name;
    std::string key;
    std::string server;
    std::string client;
    std::string more;
};

void PrintTo(const Kind& kind, std::ostream* out) {
    *out << kind.name << kind.more;
}

class SocketLink : public LinkTest, public ::testing::WithParamInterface<Kind> {
  protected:
    /// For frames up to 9014 bytes.
    LinkOptions options() override { return {.pool = &pool, .mtu = 9000, .wait_seconds = 1}; }
    std::string path() const { return (dir / "s").string(); }
    std::string spec() const { return GetParam().name + ":" + path() + GetParam().more; }
    std::string spec(const std::string& side) const { return spec() + "," + GetParam().key + "=" + side; }

    /// The two ends of one socket, started and up.
    std::vector<std::unique_ptr<Link>> pair() {
        auto links = open_links({LinkSpec::parse(spec()), LinkSpec::parse(spec())}, options());
        for (auto& link : links)
            link->start();
        EXPECT_TRUE(eventually([&] { return links[0]->up() && links[1]->up(); }));
        return links;
    }
};

std::vector<Bytes> mixed_frames() {
    std::vector<Bytes> frames;
    std::uint32_t number = 0;
    for (std::size_t length : {60U, 61U, 64U, 1499U, 1500U, 1514U, 2047U, 2048U, 2049U, 4097U, 9014U})
        for (int i = 0; i < 100; ++i)
            frames.push_back(frame_of(++number, length));
    return frames;
}

TEST_P(SocketLink, carries_every_byte_of_every_frame_both_ways_in_order) {
    auto links = pair();
    const std::vector<Bytes> frames = mixed_frames();
    EXPECT_EQ(carry(*links[0], *links[1], pool, frames), frames);
    EXPECT_EQ(carry(*links[1], *links[0], pool, frames), frames);
    EXPECT_EQ(links[0]->stats().opackets, frames.size());
    EXPECT_EQ(links[0]->stats().ipackets, frames.size());
}

TEST_P(SocketLink, keeps_frames_apart_when_its_slots_are_used_again) {
    auto links = pair();
    std::vector<Bytes> frames;
    for (std::uint32_t number = 0; number < 6000; ++number)
        frames.push_back(frame_of(number, number % 7 == 0 ? 9014 : 60 + number % 100));
    EXPECT_EQ(carry(*links[0], *links[1], pool, frames), frames);
    EXPECT_EQ(carry(*links[1], *links[0], pool, frames), frames);
}

TEST_P(SocketLink, gives_back_what_is_in_flight_when_it_closes) {
    for (std::size_t first : {0U, 1U}) {
        auto links = pair();
        for (int i = 0; i < 300; ++i) {
            for (auto& link : links) {
                rte_mbuf* packet = packet_of(pool, frame_of(1, 200));
                if (link->output().send(&packet, 1) == 0) rte_pktmbuf_free(packet);
            }
        }
        links[first].reset();
        links.clear();
        EXPECT_EQ(pool.in_use(), 0U);
    }
}

TEST_P(SocketLink, that_serves_is_not_up_before_its_peer_comes_and_starts_all_the_same) {
    auto server = open(spec());
    server->start();
    EXPECT_FALSE(server->up());
    runtime::Burst burst;
    EXPECT_EQ(server->input().receive(burst), 0U);
    rte_mbuf* packet = packet_of(pool, frame_of(1, 60));
    EXPECT_EQ(server->output().send(&packet, 1), 0U);
    rte_pktmbuf_free(packet);
}

TEST_P(SocketLink, whose_client_starts_first_comes_up) {
    auto links = open_links({LinkSpec::parse(spec()), LinkSpec::parse(spec())}, options());
    links[1]->start();
    // So long that it would be turned away.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    links[0]->start();
    EXPECT_TRUE(eventually([&] { return links[0]->up() && links[1]->up(); }));
}

TEST_P(SocketLink, takes_a_client_back_that_went_away) {
    auto server = open(spec());
    server->start();
    for (int i = 0; i < 3; ++i) {
        auto client = open(spec());
        client->start();
        ASSERT_TRUE(eventually([&] { return server->up() && client->up(); }));
        const std::vector<Bytes> frames{frame_of(1, 60), frame_of(2, 1514)};
        EXPECT_EQ(carry(*client, *server, pool, frames), frames);
        EXPECT_EQ(carry(*server, *client, pool, frames), frames);
        client.reset();
        ASSERT_TRUE(eventually([&] { return !server->up(); }));
    }
}

TEST_P(SocketLink, leaves_no_file_behind) {
    pair().clear();
    EXPECT_TRUE(std::filesystem::is_empty(dir));
}

TEST_P(SocketLink, replaces_the_socket_that_a_dead_server_left) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path().copy(address.sun_path, sizeof address.sun_path - 1);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    ASSERT_EQ(bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    close(fd);
    ASSERT_TRUE(std::filesystem::exists(path()));
    EXPECT_EQ(pair().size(), 2U);
}

TEST_P(SocketLink, refuses_a_third_and_says_that_the_socket_is_in_use) {
    auto links = pair();
    for (const std::string& text : {spec(), spec(GetParam().server), spec(GetParam().client)}) {
        try {
            open(text);
            ADD_FAILURE() << text << " was opened";
        } catch (const std::runtime_error& error) {
            EXPECT_THAT(error.what(), ::testing::HasSubstr("the socket is in use"));
        }
    }
}

TEST_P(SocketLink, waits_for_a_server_only_so_long) {
    try {
        open(spec(GetParam().client) + ",wait=0");
        ADD_FAILURE() << "opened without a server";
    } catch (const std::runtime_error& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr("nobody serves the socket, after 0 s"));
    }
    EXPECT_TRUE(std::filesystem::is_empty(dir)) << "the lock stayed";
}

TEST_P(SocketLink, refuses_a_side_that_there_is_not) {
    EXPECT_THROW(open(spec("middle")), std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(Kinds, SocketLink,
                         ::testing::Values(Kind{"virtio", "side", "vhost", "virtio", ""},
                                           Kind{"virtio", "side", "vhost", "virtio", ",packed=1"},
                                           Kind{"memif", "role", "server", "client", ""}),
                         [](const auto& param) {
                             return param.param.name + (param.param.more.empty() ? "" : "_packed");
                         });

}  // namespace
}  // namespace isoplane::link
