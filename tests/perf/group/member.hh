// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// What each member of a group does so that groups can be compared, whatever orders their messages. All that
/// members have to agree on, such as when to begin, they tell each other in messages of the same order.
#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace isoplane::perf {

/// A process among others that multicast to all of them, itself included.
template <typename G>
concept Group = requires(G group, std::span<const std::byte> message) {
    { group.member() } -> std::convertible_to<std::uint32_t>;  // this process, from 0
    { group.members() } -> std::convertible_to<std::uint32_t>;
    { group.multicast(message) } -> std::same_as<bool>;  // false: not now, but after some poll()
    group.poll([](std::span<const std::byte>) {});       // is handed what is next in the order of all
};

/// What the workload is, as the command line says.
struct Workload {
    std::size_t size = 0;  ///< of a message, in bytes
    double seconds = 0;    ///< for each of its three parts
};

/// One member's part in it:
/// 1. The first member multicasts a message and waits until it is delivered to itself; again and again.
/// 2. It multicasts a question and waits until the second member's answer is delivered to it.
/// 3. All multicast as fast as they are let, between two messages of the first member; what is delivered
///    between these counts, and is the same everywhere.
template <Group G>
class Member {
  public:
    Member(G& group, Workload workload)
        : group_(group), workload_(workload), message_(workload.size), next_(group.members()) {
        if (group.members() <= kSecond) throw std::runtime_error("a group has at least two members");
        for (std::size_t i = 0; i < message_.size(); ++i)
            message_[i] = static_cast<std::byte>(i);
    }

    void run() {
        if (group_.member() == kFirst) {
            self_ = round_trips(Kind::kProbe, Kind::kProbe);
            answer_ = round_trips(Kind::kQuestion, Kind::kAnswer);
            send(Kind::kGo);
            while (!loading_ || seconds_since(began_) < workload_.seconds)
                turn();
            send(Kind::kStop);
        }
        while (!stopped_)
            turn();
        send(Kind::kDone);
        while (done_ < group_.members())
            turn();
    }

    /// One line, of JSON. Members that have delivered the same in the same order say the same order.
    void report() const {
        std::printf("{\"member\": %u, ", static_cast<unsigned>(group_.member()));
        if (group_.member() == kFirst)
            std::printf("\"self_us\": [%.3f, %.3f], \"answer_us\": [%.3f, %.3f], ", self_.median, self_.p99,
                        answer_.median, answer_.p99);
        std::printf("\"rate\": %.0f, \"messages\": %llu, \"order\": \"%016llx\"}\n",
                    static_cast<double>(loads_) / std::chrono::duration<double>(ended_ - began_).count(),
                    static_cast<unsigned long long>(delivered_), static_cast<unsigned long long>(order_));
    }

  private:
    using Clock = std::chrono::steady_clock;

    static constexpr std::uint32_t kFirst = 0;
    static constexpr std::uint32_t kSecond = 1;
    /// Messages that are sent between two polls.
    static constexpr int kBurst = 32;

    enum class Kind : std::uint32_t { kProbe, kQuestion, kAnswer, kGo, kLoad, kStop, kDone };
    static constexpr std::size_t kKinds = 7;
    struct Head {
        Kind kind;
        std::uint32_t sender;
        std::uint64_t number;  ///< of those of its sender
    };
    struct Times {
        double median = 0, p99 = 0;  ///< microseconds
    };

    static double seconds_since(Clock::time_point then) {
        return std::chrono::duration<double>(Clock::now() - then).count();
    }

    /// From multicasting a message of one kind until one of another is delivered. The first tenth warms up.
    Times round_trips(Kind there, Kind back) {
        std::vector<double> found;
        const Clock::time_point begin = Clock::now();
        for (double now = 0; now < workload_.seconds || found.empty(); now = seconds_since(begin)) {
            const std::uint64_t before = count(back);
            const Clock::time_point sent = Clock::now();
            send(there);
            while (count(back) == before)
                turn();
            if (now > workload_.seconds / 10) found.push_back(seconds_since(sent) * 1e6);
        }
        std::sort(found.begin(), found.end());
        return {found[found.size() / 2], found[found.size() * 99 / 100]};
    }

    void turn() {
        while (owed_ > 0 && try_send(Kind::kAnswer))
            --owed_;
        int room = loading_ ? kBurst : 0;
        while (room > 0 && try_send(Kind::kLoad))
            --room;
        poll();
    }

    void poll() {
        group_.poll([this](std::span<const std::byte> message) { deliver(message); });
    }

    bool try_send(Kind kind) {
        const Head head{kind, group_.member(), sent_};
        std::memcpy(message_.data(), &head, sizeof head);
        std::memcpy(message_.data() + message_.size() - sizeof sent_, &sent_, sizeof sent_);
        if (!group_.multicast(message_)) return false;
        ++sent_;
        return true;
    }

    void send(Kind kind) {
        while (!try_send(kind))
            poll();
    }

    void deliver(std::span<const std::byte> message) {
        const Head head = check(message);
        ++counts_[static_cast<std::size_t>(head.kind)];
        switch (head.kind) {
            case Kind::kQuestion:
                owed_ += group_.member() == kSecond;
                break;
            case Kind::kGo:
                loading_ = true;
                began_ = Clock::now();
                break;
            case Kind::kLoad:
                loads_ += loading_;
                break;
            case Kind::kStop:
                loading_ = false;
                stopped_ = true;
                ended_ = Clock::now();
                break;
            case Kind::kDone:
                ++done_;
                break;
            case Kind::kProbe:
            case Kind::kAnswer:
                break;
        }
    }

    /// Nothing may be lost, repeated or cut; and the order is part of what members compare in the end.
    Head check(std::span<const std::byte> message) {
        Head head;
        std::uint64_t tail = 0;
        if (message.size() != message_.size())
            throw std::runtime_error("a message has not the size it was sent with");
        std::memcpy(&head, message.data(), sizeof head);
        std::memcpy(&tail, message.data() + message.size() - sizeof tail, sizeof tail);
        if (head.sender >= next_.size() || static_cast<std::size_t>(head.kind) >= kKinds ||
            head.number != tail)
            throw std::runtime_error("a message is damaged");
        if (head.number != next_[head.sender]++)
            throw std::runtime_error("message " + std::to_string(head.number) + " of member " +
                                     std::to_string(head.sender) + " is not the next of that member");
        ++delivered_;
        constexpr std::uint64_t kPrime = 0x100000001b3;  // FNV
        order_ = (order_ ^ (head.number << 8 | head.sender)) * kPrime;
        return head;
    }

    std::uint64_t count(Kind kind) const { return counts_[static_cast<std::size_t>(kind)]; }

    G& group_;
    Workload workload_;
    std::vector<std::byte> message_;
    std::uint64_t sent_ = 0;
    std::vector<std::uint64_t> next_;  ///< number, by sender
    std::uint64_t counts_[kKinds]{};   ///< delivered
    std::uint64_t delivered_ = 0;
    std::uint64_t order_ = 0xcbf29ce484222325;
    std::uint32_t owed_ = 0;  ///< answers
    std::uint32_t done_ = 0;
    bool loading_ = false;
    bool stopped_ = false;
    std::uint64_t loads_ = 0;
    Clock::time_point began_{}, ended_{};
    Times self_{}, answer_{};
};

/// From SIZE SECONDS. What is no such thing ends the program: only a script calls it.
inline Workload workload_of(const char* size, const char* seconds) {
    const Workload workload{std::strtoul(size, nullptr, 10), std::strtod(seconds, nullptr)};
    if (workload.size < 24 || workload.seconds <= 0)
        throw std::runtime_error("a message has at least 24 bytes, and the time is seconds");
    return workload;
}

}  // namespace isoplane::perf
