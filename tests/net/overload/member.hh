// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// What the programs have in common that send more than there is room for.
#pragma once

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <isoplane/job/job.hh>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace isoplane::overload {

using Clock = std::chrono::steady_clock;

/// What a message begins with.
struct Head {
    std::uint64_t number = 0;
    std::int64_t sent = 0;  ///< nanoseconds of the clock that all processes share
};

inline std::int64_t now_ns() {
    return std::chrono::nanoseconds(Clock::now().time_since_epoch()).count();
}

inline void say(const nlohmann::json& what) {
    std::printf("%s\n", what.dump().c_str());
    std::fflush(stdout);
}

template <typename T>
T number(std::string_view word) {
    T value{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size())
        throw std::runtime_error("'" + std::string(word) + "' is no number");
    return value;
}

/// A node of the job, which knows whether anything of it is still under way.
class Member {
  public:
    explicit Member(job::Settings settings) : job_(std::move(settings)) { job_.join(); }

  protected:
    void poll() {
        job_.poll();
        if (const std::string trouble = job_.trouble(); !trouble.empty()) throw std::runtime_error(trouble);
    }

    /// Waits until all are here.
    void meet() {
        while (!job_.messages().enter_barrier())
            poll();
        while (job_.messages().barrier() == noniso::BarrierState::kRunning)
            poll();
    }

    /// What stands in the report of the NIU, by name.
    nlohmann::json counted() {
        nlohmann::json report;
        job_.describe(report);
        return report;
    }

    /// Waits until all that was sent has arrived, and all that was received is released; then says how many
    /// packets are not in the pool, how long that took, and what credit there is with the peer that gives the
    /// least.
    nlohmann::json at_rest() {
        const std::int64_t begin = now_ns();
        nlohmann::json peers = counted()["peers"];
        for (; under_way(peers); peers = counted()["peers"])
            poll();
        auto credit = std::int64_t{1} << 32;
        for (const auto& [name, peer] : peers.items())
            credit = std::min(credit, peer["credit"].get<std::int64_t>());
        return {{"packets", job_.pool().in_use()},
                {"credit", credit},
                {"rest_after_ms", static_cast<double>(now_ns() - begin) / 1e6}};
    }

    void leave() {
        while (!job_.try_close())
            poll();
    }

    job::Job job_;

  private:
    static bool under_way(const nlohmann::json& peers) {
        return std::any_of(peers.begin(), peers.end(),
                           [](const auto& peer) { return peer["in_flight"] != 0 || peer["held"] != 0; });
    }
};

/// Runs it, and says what goes wrong.
template <typename Run>
int run(Run&& run) {
    try {
        run();
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}

}  // namespace isoplane::overload
