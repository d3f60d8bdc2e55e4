// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <sys/time.h>

#include <csignal>

#include "listener.hh"
#include "node_with_desk.hh"

namespace isoplane::test {

namespace {

/// While it lives, the test's thread is interrupted every millisecond, as a program with a timer is.
class Interrupted {
  public:
    Interrupted() {
        struct sigaction action {};
        action.sa_handler = [](int) {};
        sigaction(SIGALRM, &action, &before_);
        every(1000);
    }
    ~Interrupted() {
        every(0);
        sigaction(SIGALRM, &before_, nullptr);
    }
    Interrupted(const Interrupted&) = delete;
    Interrupted& operator=(const Interrupted&) = delete;

  private:
    static void every(suseconds_t microseconds) {
        const itimerval timer{{0, microseconds}, {0, microseconds}};
        EXPECT_EQ(setitimer(ITIMER_REAL, &timer, nullptr), 0);
    }
    struct sigaction before_ {};
};

/// A node that takes its time over each answer, or never says that it has let go.
class SlowNode {
  public:
    SlowNode(const std::string& path, bool lets_go) : listener_(path), lets_go_(lets_go) {
        sigset_t alarm;
        sigset_t before;
        sigemptyset(&alarm);
        sigaddset(&alarm, SIGALRM);
        pthread_sigmask(SIG_BLOCK, &alarm, &before);
        thread_ = std::thread([this] { serve(); });
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
    ~SlowNode() {
        thread_.join();
        listener_.remove_path();
    }

    std::atomic<bool> has_let_go = false;

  private:
    void serve() {
        const share::Handle client(accept(listener_.descriptor(), nullptr, nullptr));
        share::Answer answer;
        answer.mtu = 1500;
        std::array<char, sizeof(share::Request)> request{};
        EXPECT_GT(recv(client.get(), request.data(), request.size(), 0), 0);
        std::this_thread::sleep_for(kSlow);
        EXPECT_GT(send(client.get(), &answer, sizeof answer, MSG_NOSIGNAL), 0);
        share::Leaving leaving;
        EXPECT_GT(recv(client.get(), &leaving, sizeof leaving, 0), 0);
        std::this_thread::sleep_for(kSlow);
        has_let_go = lets_go_;
        if (lets_go_) {
            EXPECT_GT(send(client.get(), &answer, sizeof answer, MSG_NOSIGNAL), 0);
        }
        EXPECT_LE(recv(client.get(), &leaving, sizeof leaving, 0), 0) << "the client has gone";
    }

    static constexpr auto kSlow = std::chrono::milliseconds(30);
    share::Listener listener_;
    const bool lets_go_;
    std::thread thread_;
};

struct Attachment : testing::Test {
    const std::string path = std::filesystem::temp_directory_path() / ("slow" + std::to_string(getpid()));
    const runtime::SharedMemory memory{"memory", 65536};
};

TEST_F(Attachment, signals_end_neither_registering_nor_leaving) {
    for (unsigned i = 0; i < 20; ++i) {
        SlowNode node(path, true);
        const Interrupted often;
        share::Attachment attachment(path, identity(0), memory, std::chrono::seconds(10));
        EXPECT_TRUE(attachment.leave());
        EXPECT_TRUE(node.has_let_go) << i;
    }
}

TEST_F(Attachment, what_a_node_keeps_is_not_taken_for_free) {
    SlowNode node(path, false);
    share::Attachment attachment(path, identity(0), memory, std::chrono::seconds(10));
    EXPECT_FALSE(attachment.leave(std::chrono::milliseconds(50)));
    EXPECT_TRUE(attachment.leave()) << "it has left, whatever came of it";
}

TEST_F(Attachment, what_is_abandoned_stays_with_the_node) {
    runtime::Pool pool("kept", 255, runtime::Pool::kDefaultRoom, 0, runtime::Pool::Place::kShared);
    const runtime::SharedMemory rings("rings", sizeof(share::Area));
    auto& area = *reinterpret_cast<share::Area*>(rings.bytes().data());
    {
        share::ClientInput in("in", area.in, pool, 32);
        share::ClientOutput out("out", area.out, pool, 1514);
        in.post();
        rte_mbuf* packet = frame(pool, identity(0), identity(1)).release();
        ASSERT_EQ(out.send(&packet, 1), 1U);
        in.abandon();
        out.abandon();
    }
    EXPECT_EQ(pool.in_use(), 33U);
}

TEST_F(Attachment, without_a_node_there_is_a_sentence) {
    try {
        share::Attachment nowhere("/tmp/no-such-node", identity(0), memory, std::chrono::seconds(0));
        FAIL();
    } catch (const std::runtime_error& no) {
        EXPECT_NE(std::string(no.what()).find("--role shared --clients /tmp/no-such-node"),
                  std::string::npos);
    }
}

}  // namespace

}  // namespace isoplane::test
