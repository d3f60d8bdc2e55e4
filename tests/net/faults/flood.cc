// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// A program of a job in which all others send to node 0, as fast as they are let: flood COUNT SIZE
// [MICROSECONDS], with COUNT messages of SIZE bytes each, for which node 0 takes so long before it looks at
// the next. Node 0 checks that each comes once and in order. All print a line of JSON in the end, node 0 one
// a tenth of a second, too.

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <isoplane/job/job.hh>
#include <isoplane/runtime/histogram.hh>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace isoplane {

namespace {

using Clock = std::chrono::steady_clock;

struct Head {
    std::uint64_t number;
    std::int64_t sent;  ///< nanoseconds of the clock that all processes share
};

std::int64_t now_ns() {
    return std::chrono::nanoseconds(Clock::now().time_since_epoch()).count();
}

struct Plan {
    std::uint64_t count = 0;
    std::size_t size = 0;
    std::chrono::microseconds each{0};
};

void say(const nlohmann::json& what) {
    std::printf("%s\n", what.dump().c_str());
    std::fflush(stdout);
}

class Flood {
  public:
    explicit Flood(const Plan& plan) : plan_(plan), job_(job::settings_from_environment()) { job_.join(); }

    void run() {
        if (job_.node() == 0)
            drink();
        else
            pour();
        while (!job_.try_close())
            poll();
        nlohmann::json out{{"node", job_.node()}, {"refused", refused_}, {"packets", job_.pool().in_use()}};
        nlohmann::json counted;
        job_.describe(counted);
        for (const char* which : {"resent_timeout", "resent_overtaken", "no_packets", "requests_sent"})
            out[which] = counted[which];
        if (job_.node() == 0) {
            out["received"] = received_;
            out["seconds"] = seconds_;
            for (const auto& [name, fraction] : {std::pair{"p50_us", 0.5}, {"p99_us", 0.99}})
                out[name] = static_cast<double>(late_.quantile(fraction)) / 1e3;
        }
        say(out);
    }

  private:
    void poll() {
        job_.poll();
        if (const std::string trouble = job_.trouble(); !trouble.empty()) throw std::runtime_error(trouble);
    }

    void pour() {
        std::vector<std::byte> message(plan_.size);
        for (Head head{0, 0}; head.number < plan_.count; ++head.number) {
            head.sent = now_ns();
            std::memcpy(message.data(), &head, sizeof head);
            while (!job_.messages().send(0, message)) {
                ++refused_;
                poll();
            }
        }
    }

    void drink() {
        const std::uint64_t all = plan_.count * (job_.size() - 1);
        std::vector<std::uint64_t> next(job_.size());
        const auto begin = Clock::now();
        auto tell_at = begin;
        while (received_ < all) {
            poll();
            for (noniso::Received message; job_.messages().receive(message);) {
                Head head{};
                if (message.data.size() != plan_.size) throw std::runtime_error("a message of another size");
                std::memcpy(&head, message.data.data(), sizeof head);
                if (head.number != next[message.source]++)
                    throw std::runtime_error("message " + std::to_string(head.number) + " of node " +
                                             std::to_string(message.source) + " is not the next");
                late_.record(static_cast<std::uint64_t>(std::max<std::int64_t>(0, now_ns() - head.sent)));
                job_.messages().release(message);
                ++received_;
                if (plan_.each.count() == 0) continue;
                wait();
                poll();
            }
            if (const auto now = Clock::now(); now >= tell_at) {
                tell_at = now + std::chrono::milliseconds{100};
                say({{"so_far", received_}, {"at", std::chrono::duration<double>(now - begin).count()}});
            }
        }
        seconds_ = std::chrono::duration<double>(Clock::now() - begin).count();
    }

    /// As if it had something to compute.
    void wait() const {
        for (const auto until = Clock::now() + plan_.each; Clock::now() < until;) {
        }
    }

    Plan plan_;
    job::Job job_;
    std::uint64_t refused_ = 0;
    std::uint64_t received_ = 0;
    double seconds_ = 0;
    runtime::Histogram late_;
};

Plan plan_of(int argc, char** argv) {
    if (argc != 3 && argc != 4) throw std::runtime_error("say flood COUNT SIZE [MICROSECONDS]");
    unsigned each = 0;
    Plan plan;
    std::from_chars(argv[1], argv[1] + std::strlen(argv[1]), plan.count);
    std::from_chars(argv[2], argv[2] + std::strlen(argv[2]), plan.size);
    if (argc == 4) std::from_chars(argv[3], argv[3] + std::strlen(argv[3]), each);
    plan.each = std::chrono::microseconds{each};
    if (plan.count == 0 || plan.size < sizeof(Head))
        throw std::runtime_error("give a COUNT, and a SIZE of 16 at least");
    return plan;
}

}  // namespace

}  // namespace isoplane

int main(int argc, char** argv) {
    try {
        isoplane::Flood(isoplane::plan_of(argc, argv)).run();
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
