// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <isoplane/wire/hello.hh>

#include "node_with_desk.hh"

namespace isoplane::test {

namespace {

TEST_F(Desk, clients_register_talk_and_leave) {
    {
        Attached a(path, identity(0));
        Attached b(path, identity(1));
        EXPECT_EQ(a.attachment.mtu(), 1500U);
        a.send(identity(0), identity(1));
        EXPECT_EQ(b.receive().data().size(), 64U);
        const nlohmann::json clients = desk->clients();
        ASSERT_EQ(clients.size(), 2U);
        EXPECT_EQ(clients[0]["name"], std::to_string(getpid()));
        EXPECT_EQ(clients[0]["sent"], 1);
        EXPECT_EQ(clients[1]["received"], 1);
        EXPECT_EQ(clients[1]["node"], 1);
    }
    await("left", 2);
    EXPECT_EQ(desk->totals()["reaped"], 0);
    EXPECT_TRUE(desk->clients().empty());
}

/// One that registers, sends a frame to node 1, and dies.
void come_and_die(const std::string& path, const Identity& who) {
    ClientEnd client(who);
    const int descriptor = connected(path);
    ASSERT_TRUE(share::send_request(descriptor, share::Request::of(who), client.memory.descriptor(),
                                    client.pool.shared()->descriptor()));
    share::Answer answer;
    ASSERT_EQ(recv(descriptor, &answer, sizeof answer, 0), static_cast<ssize_t>(sizeof answer));
    EXPECT_EQ(answer.mtu, 1500U);
    client.send(identity(1));
    while (!client.out.idle())
        std::this_thread::yield();
    close(descriptor);
}

TEST_F(Desk, who_closes_without_a_word_is_reaped_and_its_peers_are_told) {
    Attached b(path, identity(1));
    Attached stranger(path, identity(1, 8));
    come_and_die(path, identity(0));
    await("reaped", 1);
    b.receive();
    const runtime::Packet told = b.receive();
    const wire::Decoded hello =
        wire::decode(told.data(), {.encapsulation = {}, .job_key = 7, .node = 1, .node_count = 16});
    ASSERT_TRUE(hello);
    EXPECT_EQ(hello.header.kind, wire::Kind::kHello);
    EXPECT_EQ(hello.header.source, 0);
    EXPECT_EQ(hello.header.epoch, 6U);
    EXPECT_TRUE(wire::decode_hello(hello.payload));
    EXPECT_EQ(stranger.in.waiting(), 0U);
    Attached again(path, identity(0));
    EXPECT_EQ(desk->clients().size(), 3U);
}

/// As a program that ends with exit(1), or throws away its job.
TEST_F(Desk, peers_are_told_of_who_leaves_without_a_bye) {
    Attached b(path, identity(1));
    const auto come = [&] {
        call([] {});  // the node has been round once more
        unsigned n = 0;
        for (rte_mbuf* packet = nullptr; b.in.receive(&packet, 1) == 1; ++n)
            rte_pktmbuf_free(packet);
        return n;
    };
    for (const wire::Kind last : {wire::Kind::kAck, wire::Kind::kToken, wire::Kind::kBye}) {
        {
            Attached a(path, identity(0));
            a.send(identity(0), identity(1), wire::Kind::kAck);
            a.send(identity(0), identity(1), last);
            while (!a.out.idle())
                std::this_thread::yield();
        }
        EXPECT_EQ(come(), last == wire::Kind::kBye ? 2U : 3U) << wire::name(last);
    }
    {
        Attached manager(path, identity(0));
        manager.send(identity(0), identity(1), wire::Kind::kToken);
        while (!manager.out.idle())
            std::this_thread::yield();
    }
    EXPECT_EQ(come(), 1U) << "nobody has heard of it as a peer";
    EXPECT_EQ(desk->totals()["left"], 4);
    EXPECT_EQ(desk->totals()["reaped"], 0);
}

/// A client in a process of its own, which is killed. Returns a child of it that has all its descriptors.
pid_t outlived_by_a_child(const std::string& path, const Identity& who) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const pid_t client = fork();
    if (client == 0) {
        const runtime::SharedMemory memory("memory", 65536);
        const share::Attachment attachment(path, who, memory, std::chrono::seconds(10));
        const pid_t child = fork();
        if (child == 0) {
            sleep(60);
            _exit(0);
        }
        if (write(ends[1], &child, sizeof child) == sizeof child) kill(getpid(), SIGKILL);
        _exit(1);
    }
    pid_t child = 0;
    close(ends[1]);
    EXPECT_EQ(read(ends[0], &child, sizeof child), static_cast<ssize_t>(sizeof child));
    close(ends[0]);
    EXPECT_EQ(waitpid(client, nullptr, 0), client);
    return child;
}

TEST_F(Desk, a_client_is_dead_though_a_child_of_it_lives) {
    const pid_t child = outlived_by_a_child(path, identity(0));
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (desk->totals()["reaped"] == 0 && std::chrono::steady_clock::now() < limit)
        std::this_thread::yield();
    EXPECT_EQ(desk->totals()["reaped"], 1);
    EXPECT_TRUE(desk->clients().empty());
    EXPECT_EQ(kill(child, SIGKILL), 0) << "it has lived until now";
    Attached again(path, identity(0));
    EXPECT_EQ(desk->totals()["attached"], 2);
}

/// As it came, it would steer terminals of others, and be no JSON, for all clients.
TEST_F(Desk, a_program_is_shown_by_letters_only) {
    ClientEnd client(identity(0));
    const int descriptor = connected(path);
    share::Request request = share::Request::of(identity(0));
    request.program.fill('z');
    std::ranges::copy(std::string_view("ls\xff\x1b[2J\n\x7f~ "), request.program.begin());
    ASSERT_TRUE(share::send_request(descriptor, request, client.memory.descriptor(),
                                    client.pool.shared()->descriptor()));
    await("attached", 1);
    const std::string shown = "ls??[2J??~ " + std::string(21, 'z');
    EXPECT_EQ(desk->clients()[0]["program"], shown);
    EXPECT_NO_THROW(static_cast<void>(desk->clients().dump()));
    EXPECT_EQ(desk->whom_to_ask()[0].program, shown);
    close(descriptor);
    await("reaped", 1);
}

/// So that others still get in.
TEST_F(Desk, of_one_user_only_some_may_come_and_say_nothing) {
    constexpr int kMost = 48;
    std::vector<int> silent;
    for (int i = 0; i < kMost + 5; ++i)
        silent.push_back(connected(path));
    await("refused", 5);
    int closed = 0;
    for (const int connection : silent) {
        char ignored = 0;
        closed += recv(connection, &ignored, 1, MSG_PEEK | MSG_DONTWAIT) == 0 ? 1 : 0;
        close(connection);
    }
    EXPECT_EQ(closed, 5);
}

TEST_F(Desk, a_client_whose_memory_makes_no_sense_is_expelled) {
    Attached bad(path, identity(0));
    bad.attachment.area().out.posted.store(5000);
    await("expelled", 1);
    EXPECT_TRUE(desk->clients().empty());
    EXPECT_NE(desk->totals()["last_expelled"].get<std::string>().find("more packets than its ring"),
              std::string::npos);
    EXPECT_FALSE(bad.attachment.alive());
}

TEST_F(Desk, a_second_client_in_the_same_name_is_told_who_has_it) {
    Attached a(path, identity(0));
    try {
        Attached second(path, identity(0));
        FAIL() << "it was let in";
    } catch (const std::runtime_error& no) {
        EXPECT_NE(std::string(no.what()).find("process " + std::to_string(getpid())), std::string::npos);
    }
    Identity no_station = identity(4);
    no_station.mac = wire::kBroadcastMac;
    EXPECT_THROW(Attached(path, no_station), std::runtime_error);
    EXPECT_EQ(desk->totals()["refused"], 2);
    EXPECT_EQ(desk->clients().size(), 1U);
}

TEST_F(Desk, clients_of_a_job_agree_on_which_nodes_are_hosts) {
    Attached a(path, identity(0));
    Identity liar = identity(1);
    liar.hosts = 0;
    try {
        Attached second(path, liar);
        FAIL() << "it was let in, and may send tokens of all others";
    } catch (const std::runtime_error& no) {
        EXPECT_NE(std::string(no.what()).find("the job has 100 hosts"), std::string::npos) << no.what();
    }
    Identity unknowing = identity(1);
    unknowing.hosts = Identity::kNoHosts;
    Attached b(path, unknowing);
    Identity of_another_job = identity(0, 8);
    of_another_job.hosts = 2;
    Attached c(path, of_another_job);
    EXPECT_EQ(desk->clients().size(), 3U);
}

TEST_F(Desk, strangers_that_talk_nonsense_are_shown_out) {
    for (const std::string& nonsense : {std::string("x"), std::string(56, '\0'), std::string(5000, 'z')}) {
        const int descriptor = connected(path);
        EXPECT_GT(send(descriptor, nonsense.data(), nonsense.size(), MSG_NOSIGNAL), 0);
        char ignored = 0;
        EXPECT_LE(recv(descriptor, &ignored, 1, 0), 0) << "the connection is closed";
        close(descriptor);
    }
    const int silent = connected(path);
    EXPECT_EQ(desk->totals()["refused"], 3);
    Attached a(path, identity(0));  // whoever says nothing holds up nobody
    close(silent);
}

TEST_F(Desk, a_socket_that_was_left_behind_is_replaced_and_one_in_use_is_not) {
    EXPECT_THROW(open(), std::runtime_error);
    desk.reset();
    const int dead = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, path.c_str());
    ASSERT_EQ(bind(dead, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    close(dead);
    open();
    Attached a(path, identity(0));
    desk.reset();
    EXPECT_FALSE(a.attachment.alive());
    EXPECT_FALSE(std::filesystem::exists(path));
    open();
}

TEST_F(Desk, with_the_last_client_it_ends_for_all_that_come) {
    EXPECT_FALSE(desk->close_if_deserted()) << "nobody has been here";
    {
        Attached a(path, identity(0));
        EXPECT_FALSE(desk->close_if_deserted());
    }
    const int silent = connected(path);
    EXPECT_TRUE(desk->close_if_deserted());
    EXPECT_FALSE(std::filesystem::exists(path));
    char ignored = 0;
    EXPECT_LE(recv(silent, &ignored, 1, 0), 0) << "the connection is closed";
    close(silent);

    const std::unique_ptr<share::Desk> last = std::move(desk);
    open();
    EXPECT_TRUE(last->close_if_deserted());
    Attached b(path, identity(0));
    EXPECT_EQ(desk->clients().size(), 1U);
    EXPECT_TRUE(last->clients().empty());
}

TEST_F(Desk, one_that_has_ended_leaves_its_successor_the_socket) {
    Attached(path, identity(0));
    await("left", 1);
    ASSERT_TRUE(desk->close_if_deserted());
    std::unique_ptr<share::Desk> last = std::move(desk);
    open();
    last.reset();
    EXPECT_TRUE(std::filesystem::exists(path));
    Attached b(path, identity(0));
}

}  // namespace

}  // namespace isoplane::test
