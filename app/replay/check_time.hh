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
#include <set>
#include <string>
#include <tuple>
#include <vector>

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
        std::uint16_t to_epoch = 0;  ///< low half of the receiver's; 0 where that is not told
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
        Recent pulses{};                                   ///< by isochron
        Recent places{};                                   ///< by pulse and rank: which message
        std::map<std::uint64_t, std::uint32_t> stamped{};  ///< by place: which isochron, of those lately
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
        std::uint32_t epoch = 0;     ///< of the first
        std::uint16_t to_epoch = 0;  ///< of the other
        Recent messages{};           ///< by count: which part of which isochron
        RecentOf<64> places{};       ///< by count: pulse and rank
        bool from_start = false;     ///< its first message is in the trace
        std::deque<Open> open{};
        std::deque<Announced> announced{};  ///< lately
    };
    /// What a host is told by tokens.
    struct Told {
        void begin_anew();

        std::uint32_t epoch = 0;  ///< of whose tokens
        std::uint64_t last = 0;   ///< the greatest number
        bool whole = false;       ///< nothing was told before the trace
        std::map<Node, Way> from{};
    };

    /// A token that has been seen, in parts.
    struct Seen {
        std::uint64_t frame = 0;
        std::set<std::uint16_t> parts{};
        std::vector<wire::TokenEntry> entries{};  ///< for its receiver
        bool whole = false;
    };
    /// Tokens from one node to another, as far as they are in the trace.
    struct Line {
        std::uint32_t epoch = 0;  ///< of the sender
        std::uint16_t view = 0;
        std::uint64_t since = 0;  ///< the frame with the first
        std::uint64_t begin = 0;  ///< the first
        std::uint64_t next = 0;   ///< all before it are there; 0 until it is known with which they begin
        std::map<std::uint64_t, Seen> early{};  ///< those behind it, and it as far as it is there
        std::uint32_t answers = 0;              ///< the epoch of its receiver
        std::uint64_t ahead = 0;                ///< how far that may go on without the next, at the most
        std::uint64_t reached = 0;              ///< the last that its receiver has sent in answer
        std::uint64_t needed = 0;  ///< the frame in which the next has turned out to be missing; 0 for none
    };

    void see_issue(const Where& where, const wire::IsotachHeader& message);
    void see_stamp(const Where& where, Issuer& issuer, const wire::IsotachHeader& message);
    void see_on_way(const Where& where, Way& way, const wire::IsotachHeader& message);
    void see_announcement(Told& told, Node from, Node to, std::uint32_t count, std::uint64_t token);
    void see_line(const Where& where, const wire::TokenView& view);
    void see_answer(const Where& where, const wire::TokenView& view);
    void keep(Line& line, const Where& where, const wire::TokenView& view);
    void advance(Line& line, std::uint32_t job, Node to);
    bool lacks_next(const Line& line, std::uint32_t job, Node from, Node to) const;
    static void begin(Line& line);
    void pass_over(Line& line, std::uint32_t job, Node from, Node to);
    void late(std::uint64_t frame, const std::string& which, std::uint32_t count, Node to,
              std::uint64_t token, std::uint64_t pulse);
    void end_pulses(Told& told, Node to, std::uint64_t before);

    Violated violated_;
    /// By job, epoch and host, as numbers begin anew with an epoch.
    std::map<std::tuple<std::uint32_t, std::uint32_t, Node>, Issuer> issuers_{};
    /// By job and host.
    std::map<std::pair<std::uint32_t, Node>, Told> told_{};
    /// By job, epoch, view, sender and receiver.
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint16_t, Node, Node>, Recent> tokens_sent_{};
    /// By job, sender and receiver.
    std::map<std::tuple<std::uint32_t, Node, Node>, Line> lines_{};
    std::uint64_t isochrons_ = 0;
    std::uint64_t tokens_ = 0;
};

}  // namespace isoplane::replay
