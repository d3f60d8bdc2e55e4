// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// A program of a job in which all others send to node 0, as fast as they are let: flood COUNT SIZE
// [MICROSECONDS [HOLD]], with COUNT messages of SIZE bytes each, for which node 0 takes so long before it
// looks at the next; and it looks at none before HOLD of them are with its NIU. Node 0 checks that each comes
// once and in order. All print a line of JSON in the end.

#include <isoplane/runtime/histogram.hh>
#include <vector>

#include "member.hh"

namespace isoplane::overload {

namespace {

struct Plan {
    std::uint64_t count = 0;
    std::size_t size = 0;
    std::chrono::microseconds each{0};
    std::uint64_t hold = 0;
};

class Flood : private Member {
  public:
    explicit Flood(const Plan& plan) : Member(job::settings_from_environment()), plan_(plan) {}

    void run() {
        meet();
        nlohmann::json out{{"node", job_.node()}, {"before", at_rest()}};
        meet();
        if (job_.node() == 0)
            drink();
        else
            pour();
        meet();
        out["after"] = at_rest();
        out["refused"] = refused_;
        const nlohmann::json all = counted();
        for (const char* which : {"resent_timeout", "resent_overtaken", "no_packets", "requests_sent"})
            out[which] = all[which];
        if (job_.node() == 0) describe_drink(out);
        say(out);
        leave();
    }

  private:
    void pour() {
        std::vector<std::byte> message(plan_.size);
        for (Head head; head.number < plan_.count; ++head.number) {
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
        next_.resize(job_.size());
        let_wait();
        const auto begin = Clock::now();
        while (received_ < all) {
            poll();
            for (noniso::Received message; job_.messages().receive(message);) {
                take(message);
                if (plan_.each.count() == 0) continue;
                wait();
                poll();
            }
        }
        seconds_ = std::chrono::duration<double>(Clock::now() - begin).count();
    }

    /// Until so many wait, or more than a ring has room for and no more come: credit is for frames, which are
    /// not full on a machine that is busy with other things.
    void let_wait() {
        constexpr std::uint64_t kRing = 1024;
        constexpr auto kQuiet = std::chrono::seconds(1);
        for (auto came = Clock::now();
             waiting_ < plan_.hold && (waiting_ <= kRing || Clock::now() - came < kQuiet);) {
            poll();
            const std::uint64_t waiting = counted()["messages_received"];
            if (waiting != waiting_) came = Clock::now();
            waiting_ = waiting;
        }
    }

    void take(const noniso::Received& message) {
        Head head;
        if (message.data.size() != plan_.size) throw std::runtime_error("a message of another size");
        std::memcpy(&head, message.data.data(), sizeof head);
        if (head.number != next_[message.source]++)
            throw std::runtime_error("message " + std::to_string(head.number) + " of node " +
                                     std::to_string(message.source) + " is not the next");
        late_.record(static_cast<std::uint64_t>(std::max<std::int64_t>(0, now_ns() - head.sent)));
        job_.messages().release(message);
        ++received_;
    }

    /// As if it had something to compute.
    void wait() const {
        for (const auto until = Clock::now() + plan_.each; Clock::now() < until;) {
        }
    }

    void describe_drink(nlohmann::json& out) const {
        out["received"] = received_;
        out["waited"] = waiting_;
        out["seconds"] = seconds_;
        for (const auto& [name, fraction] : {std::pair{"p50_us", 0.5}, {"p99_us", 0.99}})
            out[name] = static_cast<double>(late_.quantile(fraction)) / 1e3;
    }

    Plan plan_;
    std::uint64_t refused_ = 0;
    std::uint64_t waiting_ = 0;  ///< messages, before the first was taken
    std::uint64_t received_ = 0;
    double seconds_ = 0;
    std::vector<std::uint64_t> next_;  ///< by node: the number that is due
    runtime::Histogram late_;
};

Plan plan_of(std::span<char*> words) {
    if (words.size() < 2 || words.size() > 4)
        throw std::runtime_error("say flood COUNT SIZE [MICROSECONDS [HOLD]]");
    Plan plan{.count = number<std::uint64_t>(words[0]), .size = number<std::size_t>(words[1])};
    if (words.size() > 2) plan.each = std::chrono::microseconds{number<unsigned>(words[2])};
    if (words.size() > 3) plan.hold = number<std::uint64_t>(words[3]);
    if (plan.count == 0 || plan.size < sizeof(Head))
        throw std::runtime_error("give a COUNT, and a SIZE of 16 at least");
    return plan;
}

}  // namespace

}  // namespace isoplane::overload

int main(int argc, char** argv) {
    using namespace isoplane::overload;
    return run([&] { Flood(plan_of({argv + 1, argv + argc})).run(); });
}
