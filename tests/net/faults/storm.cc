// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// A program of a job that sends numbered messages to all others, checks those it receives, and goes on
// without peers that are lost: storm [RATE], with RATE in messages a second to each peer.
//
// It says on standard error what becomes of its peers, and on standard output a line of JSON when it has
// joined, for each SIGUSR1, and at its end, which SIGTERM asks for: it tells its peers how many messages they
// were sent, waits to hear the same from them, and leaves with them.

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <isoplane/job/job.hh>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace isoplane {

namespace {

using Clock = std::chrono::steady_clock;

volatile std::sig_atomic_t report_wanted = 0;
volatile std::sig_atomic_t end_wanted = 0;

/// What each message begins with.
struct Head {
    std::uint64_t life;    ///< of the sender
    std::uint64_t number;  ///< from 0, to each life of a receiver
    std::uint64_t is_last;
};

constexpr std::size_t kMostBody = 1200;

std::size_t body_size(const Head& head) {
    return head.number * 37 % kMostBody;
}

std::byte body_byte(const Head& head, std::size_t i) {
    return static_cast<std::byte>(head.number * 13 + i * 7 + head.life);
}

/// One other node. Of counts, there is one for each life of it.
struct Peer {
    std::uint32_t epoch = 0;  ///< of the life that is sent to
    std::vector<std::uint64_t> sent{};
    bool told_last = false;
    std::uint64_t life = 0;  ///< that is received from
    std::vector<std::uint64_t> received{};
    bool heard_last = false;
    std::uint64_t wrong = 0;  ///< messages that are not the next, or damaged
    std::uint64_t all_sent = 0;
};

class Storm {
  public:
    Storm(job::Job& job, double rate)
        : job_(job),
          rate_(rate),
          life_(static_cast<std::uint64_t>(Clock::now().time_since_epoch().count())),
          peers_(job.size()) {}

    /// Returns whether all messages were right, and somebody was left in the end.
    bool run() {
        report("joined");
        while (!is_complete()) {
            send();
            receive();
            job_.poll();
            if (!look_around()) return false;
        }
        while (!job_.try_close()) {
            receive();
            job_.poll();
        }
        report("end");
        return std::all_of(peers_.begin(), peers_.end(), [](const Peer& peer) { return peer.wrong == 0; });
    }

  private:
    void send() {
        const double due = rate_ * std::chrono::duration<double>(Clock::now() - started_).count();
        for (std::size_t i = 0; i < peers_.size(); ++i) {
            const auto node = static_cast<niu::NodeId>(i);
            if (node == job_.node()) continue;
            if (end_wanted != 0) {
                send_one(node, true);
            } else if (static_cast<double>(peers_[i].all_sent) < due) {
                send_one(node, false);
            }
        }
    }

    void send_one(niu::NodeId node, bool is_last) {
        Peer& peer = peers_[node];
        noniso::SendBuffer room = job_.messages().buffer(node, sizeof(Head) + kMostBody);
        if (!room) return;
        if (room.epoch != peer.epoch) {
            peer.epoch = room.epoch;
            peer.sent.push_back(0);
            peer.told_last = false;
        }
        if (peer.told_last) return;
        peer.told_last = is_last;
        const Head head{life_, peer.sent.back(), is_last ? 1U : 0U};
        room.data = room.data.first(sizeof head + body_size(head));
        std::memcpy(room.data.data(), &head, sizeof head);
        for (std::size_t i = 0; i < body_size(head); ++i)
            room.data[sizeof head + i] = body_byte(head, i);
        job_.messages().send(room);
        ++peer.sent.back();
        ++peer.all_sent;
    }

    void receive() {
        for (niu::Received message; job_.messages().receive(message);) {
            check(peers_[message.source], message);
            job_.messages().release(message);
        }
    }

    void check(Peer& peer, const niu::Received& message) {
        Head head{};
        if (message.data.size() < sizeof head) {
            ++peer.wrong;
            return;
        }
        std::memcpy(&head, message.data.data(), sizeof head);
        if (head.life != peer.life) {
            peer.life = head.life;
            peer.received.push_back(0);
            peer.heard_last = false;
        }
        const std::span body = message.data.subspan(sizeof head);
        bool right =
            head.number == peer.received.back() && body.size() == body_size(head) && !peer.heard_last;
        for (std::size_t i = 0; right && i < body.size(); ++i)
            right = body[i] == body_byte(head, i);
        if (!right) ++peer.wrong;
        peer.heard_last = head.is_last != 0;
        ++peer.received.back();
    }

    /// Now and then: who is there, and who wants to know of us. False when nobody is left.
    bool look_around() {
        const auto now = Clock::now();
        if (now < look_at_) return true;
        look_at_ = now + std::chrono::milliseconds(1);
        for (std::string news = job_.news(); !news.empty(); news = job_.news())
            std::fprintf(stderr, "storm: %s\n", news.c_str());
        if (report_wanted != 0) {
            report_wanted = 0;
            report("asked");
        }
        for (std::size_t i = 0; i < peers_.size(); ++i)
            if (is_up(static_cast<niu::NodeId>(i))) return true;
        const std::string trouble = job_.trouble();
        if (trouble.empty()) return true;  // somebody is on his way back
        std::fprintf(stderr, "storm: %s\n", trouble.c_str());
        report("alone");
        return false;
    }

    bool is_up(niu::NodeId node) const {
        return node != job_.node() && job_.messages().state(node) == niu::PeerState::kUp;
    }

    bool is_complete() const {
        if (end_wanted == 0) return false;
        for (std::size_t i = 0; i < peers_.size(); ++i) {
            const bool through = peers_[i].told_last && peers_[i].heard_last;
            if (is_up(static_cast<niu::NodeId>(i)) && !through) return false;
        }
        return true;
    }

    void report(const char* when) {
        nlohmann::json out{{"node", job_.node()}, {"pid", getpid()}, {"when", when}};
        for (std::size_t i = 0; i < peers_.size(); ++i) {
            if (i == job_.node()) continue;
            const Peer& peer = peers_[i];
            out["peers"][std::to_string(i)] = {
                {"sent", peer.sent}, {"received", peer.received}, {"wrong", peer.wrong}};
        }
        job_.describe(out["niu"]);
        std::printf("%s\n", out.dump().c_str());
        std::fflush(stdout);
    }

    job::Job& job_;
    double rate_;
    std::uint64_t life_;
    std::vector<Peer> peers_;
    Clock::time_point started_ = Clock::now();
    Clock::time_point look_at_{};
};

int run(int argc, char** argv) {
    double rate = 2000;
    if (argc > 1) std::from_chars(argv[1], argv[1] + std::strlen(argv[1]), rate);
    std::signal(SIGUSR1, [](int) { report_wanted = 1; });
    std::signal(SIGTERM, [](int) { end_wanted = 1; });
    try {
        job::Job job(job::settings_from_environment());
        job.join();
        return Storm(job, rate).run() ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "storm: %s\n", error.what());
        return 1;
    }
}

}  // namespace

}  // namespace isoplane

int main(int argc, char** argv) {
    return isoplane::run(argc, argv);
}
