// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <isoplane/wire/isotach.hh>
#include <isoplane/wire/token.hh>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "replay/recent.hh"

namespace isoplane::replay {

/// Holds the messages and tokens of a trace against the rules of logical time. Part of Checker, which says
/// what those are.
class TimeChecker {
  public:
    using Node = std::uint16_t;
    /// Takes the number of the frame, and what is wrong with it.
    using Violated = std::function<void(std::uint64_t frame, const std::string& sentence)>;

    explicit TimeChecker(Violated violated) : violated_(std::move(violated)) {}

    /// In which frame, and from where to where, something was seen.
    struct Where {
        std::uint64_t frame;
        std::uint32_t job;
        std::uint32_t epoch;  ///< of the sender
        Node from;
        Node to;
    };

    /// A message of logical time, when it is seen first. `clock` when it says at which one it was issued.
    void see_message(const Where& where, const wire::IsotachHeader& message,
                     std::optional<std::uint64_t> clock);
    void see_token(const Where& where, const wire::TokenView& view);
    /// After the last frame.
    void finish();

    std::uint64_t isochrons() const noexcept { return isochrons_; }
    std::uint64_t tokens() const noexcept { return tokens_; }

  private:
    struct Issuer {
        Recent pulses{};  ///< by isochron
        Recent places{};  ///< by pulse and rank: which message
        std::optional<std::uint32_t> isochron{};
        std::uint64_t pulse = 0;  ///< of that
    };
    /// A message that no token has announced yet.
    struct Open {
        std::uint64_t frame;
        std::uint64_t pulse;
        std::uint32_t count;
        std::uint32_t isochron;
    };
    struct Announced {
        std::uint32_t count;
        std::uint64_t token;
    };
    /// From a host to another.
    struct Way {
        std::uint32_t epoch = 0;  ///< of the first
        Recent messages{};        ///< by count: which part of which isochron
        RecentOf<64> places{};    ///< by count: pulse and rank
        bool from_start = false;  ///< its first message is in the trace
        std::deque<Open> open{};
        std::deque<Announced> announced{};  ///< lately
    };
    /// What a host is told by tokens.
    struct Told {
        std::uint32_t epoch = 0;  ///< of whose tokens
        std::uint64_t last = 0;   ///< the greatest number
        std::map<Node, Way> from{};
    };

    void see_issue(const Where& where, const wire::IsotachHeader& message);
    void see_on_way(const Where& where, Way& way, const wire::IsotachHeader& message);
    void see_announcement(Way& way, Node from, Node to, std::uint32_t count, std::uint64_t token);
    void late(std::uint64_t frame, const std::string& which, std::uint32_t count, Node to,
              std::uint64_t token, std::uint64_t pulse);
    void end_pulses(Told& told, Node to, std::uint64_t before);

    Violated violated_;
    /// By job, epoch and host, as numbers begin anew with an epoch.
    std::map<std::tuple<std::uint32_t, std::uint32_t, Node>, Issuer> issuers_{};
    /// By job and host.
    std::map<std::pair<std::uint32_t, Node>, Told> told_{};
    /// By job, epoch, sender, receiver, and which part of how many.
    std::map<std::tuple<std::uint32_t, std::uint32_t, Node, Node, std::uint16_t>, Recent> tokens_sent_{};
    std::uint64_t isochrons_ = 0;
    std::uint64_t tokens_ = 0;
};

}  // namespace isoplane::replay
