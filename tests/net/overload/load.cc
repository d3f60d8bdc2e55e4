// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// A program of a job in which all others offer node 0 so much in each of several steps: load MILLISECONDS
// SIZE TAKES RATE..., where a step lasts MILLISECONDS, in which all of them together try to send RATE
// messages of SIZE bytes a second, at even distances. What they are refused they do not try again. Node 0
// takes TAKES a second, or all that come for 0, and checks that each comes once and in order, and all that
// were accepted. All print a line of JSON for each step.

#include <isoplane/runtime/histogram.hh>
#include <vector>

#include "member.hh"

namespace isoplane::overload {

namespace {

struct Plan {
    std::int64_t step = 0;  ///< nanoseconds
    std::size_t size = 0;
    double takes = 0;           ///< a second
    std::vector<double> rates;  ///< of each step, a second
};

/// The last of a step.
struct Account {
    std::uint64_t offered = 0;
    std::uint64_t accepted = 0;  ///< of them
};

/// So many a second; who comes late catches up with `most` nanoseconds.
class Pace {
  public:
    Pace(double rate, std::int64_t most) : distance_(1e9 / rate), most_(static_cast<double>(most)) {}
    bool due(std::int64_t now) {
        const auto time = static_cast<double>(now);
        if (next_ == 0) next_ = time;
        if (time < next_) return false;
        next_ = std::max(next_ + distance_, time - most_);
        return true;
    }

  private:
    double distance_;
    double most_;
    double next_ = 0;
};

class Load : private Member {
  public:
    explicit Load(Plan plan)
        : Member(job::settings_from_environment()), plan_(std::move(plan)), next_(job_.size()) {}

    void run() {
        nlohmann::json rest = at_rest();
        for (const double rate : plan_.rates) {
            meet();
            nlohmann::json out{{"rate", rate}, {"before", rest}};
            if (job_.node() == 0)
                drink(out);
            else
                pour(rate / static_cast<double>(job_.size() - 1));
            meet();
            out["after"] = rest = at_rest();
            say(out);
        }
        leave();
    }

  private:
    void pour(double rate) {
        std::vector<std::byte> message(plan_.size);
        const std::int64_t end = now_ns() + plan_.step;
        Pace pace(rate, plan_.step);
        Account account;
        for (std::int64_t now = now_ns(); now < end; now = now_ns()) {
            for (; pace.due(now); ++account.offered) {
                const Head head{sent_, now};
                std::memcpy(message.data(), &head, sizeof head);
                if (!job_.messages().send(0, message)) continue;
                ++sent_;
                ++account.accepted;
            }
            poll();
        }
        while (!job_.messages().send(0, std::as_bytes(std::span(&account, 1))))
            poll();
    }

    /// What node 0 sees of a step.
    struct Step {
        std::int64_t begin = INT64_MAX;  ///< when the first message was sent
        std::int64_t first = 0;          ///< when it came
        std::uint64_t in_time = 0;
        std::uint64_t received = 0;
        std::uint64_t accounts = 0;
        Account all{};
        double waited = 0;  ///< seconds, of all messages together
        runtime::Histogram late;
    };

    void drink(nlohmann::json& out) {
        Step step;
        Pace pace(plan_.takes == 0 ? 1e12 : plan_.takes, 20'000'000);
        while (step.accounts != job_.size() - 1) {
            poll();
            for (noniso::Received message; pace.due(now_ns()) && job_.messages().receive(message);)
                take(message, step);
        }
        if (step.received != step.all.accepted) throw std::runtime_error("a message is missing");
        const double seconds = static_cast<double>(plan_.step) / 1e9;
        out["offered"] = static_cast<double>(step.all.offered) / seconds;
        out["goodput"] = static_cast<double>(step.in_time) / seconds;
        out["received"] = step.received;
        out["seconds"] = static_cast<double>(now_ns() - step.begin) / 1e9;
        out["refused"] = step.all.offered - step.all.accepted;
        out["mean_us"] = step.waited / static_cast<double>(std::max<std::uint64_t>(step.received, 1)) * 1e6;
        for (const auto& [name, fraction] : {std::pair{"p50_us", 0.5}, {"p99_us", 0.99}})
            out[name] = static_cast<double>(step.late.quantile(fraction)) / 1e3;
    }

    void take(const noniso::Received& message, Step& step) {
        if (message.data.size() == sizeof(Account)) {
            Account account;
            std::memcpy(&account, message.data.data(), sizeof account);
            job_.messages().release(message);
            step.all.offered += account.offered;
            step.all.accepted += account.accepted;
            ++step.accounts;
            return;
        }
        Head head;
        if (message.data.size() != plan_.size) throw std::runtime_error("a message of another size");
        std::memcpy(&head, message.data.data(), sizeof head);
        if (head.number != next_[message.source]++)
            throw std::runtime_error("message " + std::to_string(head.number) + " of node " +
                                     std::to_string(message.source) + " is not the next");
        job_.messages().release(message);
        const std::int64_t now = now_ns();
        step.begin = std::min(step.begin, head.sent);
        if (step.first == 0) step.first = now;
        if (now <= step.first + plan_.step) ++step.in_time;
        ++step.received;
        step.waited += static_cast<double>(now - head.sent) / 1e9;
        step.late.record(static_cast<std::uint64_t>(std::max<std::int64_t>(0, now - head.sent)));
    }

    Plan plan_;
    std::uint64_t sent_ = 0;
    std::vector<std::uint64_t> next_;  ///< by node: the number that is due
};

Plan plan_of(std::span<char*> words) {
    if (words.size() < 4) throw std::runtime_error("say load MILLISECONDS SIZE TAKES RATE...");
    Plan plan{.step = number<std::int64_t>(words[0]) * 1'000'000,
              .size = number<std::size_t>(words[1]),
              .takes = number<double>(words[2])};
    for (char* word : words.subspan(3))
        plan.rates.push_back(number<double>(word));
    if (plan.size <= sizeof(Account)) throw std::runtime_error("give a SIZE of 17 at least");
    return plan;
}

}  // namespace

}  // namespace isoplane::overload

int main(int argc, char** argv) {
    using namespace isoplane::overload;
    return run([&] { Load(plan_of({argv + 1, argv + argc})).run(); });
}
