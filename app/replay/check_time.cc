// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "replay/check_time.hh"

#include <algorithm>
#include <isoplane/wire/crc32c.hh>
#include <iterator>

#include "replay/words.hh"

namespace isoplane::replay {

namespace {

/// How many announcements are remembered for messages that are seen after them.
constexpr std::size_t kMostAnnounced = 1024;
/// And how many messages wait for theirs; where no tokens are captured, that is all of them.
constexpr std::size_t kMostOpen = 4096;
/// Most pulses have fewer messages of a host.
constexpr std::uint64_t kRanksApart = 61;

constexpr unsigned kRankBits = 24;
constexpr std::uint64_t kRankMask = (std::uint64_t{1} << kRankBits) - 1;
/// How many of the last messages of a host are held against each other.
constexpr std::size_t kMostStamped = 1024;
/// Tokens that a node may send before those of its neighbours are there.
constexpr std::uint64_t kMostAhead = 64;

/// Of those whose forerunners are missing, so many are remembered.
constexpr std::size_t kMostEarly = 4096;

/// Keeps what the parts of a token say apart from what others do.
constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;

/// For comparison with others of the same host.
std::uint64_t place_of(const wire::IsotachHeader& message) {
    return message.pulse << kRankBits | (message.rank & kRankMask);
}

std::string name(std::uint32_t isochron, std::uint16_t host) {
    return "isochron " + std::to_string(isochron) + " of host " + std::to_string(host);
}

std::uint32_t crc_of_entries(const wire::TokenView& view) {
    std::uint32_t crc = 0;
    for (std::size_t i = 0; i < view.size(); ++i) {
        const wire::TokenEntry entry = view.entry(i);
        crc = wire::crc32c(std::as_bytes(std::span(&entry, 1)), crc);
    }
    return crc;
}

}  // namespace

void TimeChecker::see_message(const Where& where, const wire::IsotachHeader& message,
                              std::optional<std::uint64_t> clock) {
    if (clock && message.pulse <= *clock)
        violated_(where.frame, name(message.isochron, message.host) + " was issued at pulse " + text(*clock) +
                                   ", and is to be executed at pulse " + text(message.pulse));
    see_issue(where, message);
    Way& way = told_[{where.job, where.to}].from[message.host];
    if (way.epoch != where.epoch || way.to_epoch != where.to_epoch) {
        way = {};
        way.epoch = where.epoch;
        way.to_epoch = where.to_epoch;
    }
    see_on_way(where, way, message);
}

/// Among all that its host issues.
void TimeChecker::see_issue(const Where& where, const wire::IsotachHeader& message) {
    const std::string which = name(message.isochron, message.host);
    Issuer& issuer = issuers_[{where.job, where.epoch, message.host}];
    const Sight sight = issuer.pulses.see(message.isochron, message.pulse);
    isochrons_ += sight == Sight::kFirst ? 1 : 0;
    if (sight == Sight::kOther)
        violated_(where.frame,
                  which + " has a message of pulse " + text(message.pulse) + ", and others of another pulse");
    see_stamp(where, issuer, message);
    const std::uint64_t content = both(where.to, message.count);
    if (!issuer.places.add(place_of(message), content, message.pulse * kRanksApart + message.rank))
        violated_(where.frame, which + ": another message of its host has the same place, pulse " +
                                   text(message.pulse) + ", rank " + text(message.rank));
}

/// A host stamps its isochrons in the order of their numbers, with places that go up.
void TimeChecker::see_stamp(const Where& where, Issuer& issuer, const wire::IsotachHeader& message) {
    const auto [at, is_new] = issuer.stamped.emplace(place_of(message), message.isochron);
    if (!is_new) return;
    const auto violated = [&](const char* order, const auto& other) {
        violated_(where.frame, name(message.isochron, message.host) + " has pulse " + text(message.pulse) +
                                   ", rank " + text(message.rank) + ", isochron " + text(other.second) +
                                   order + text(other.first >> kRankBits) + ", rank " +
                                   text(other.first & kRankMask));
    };
    if (at != issuer.stamped.begin() && before(message.isochron, std::prev(at)->second))
        violated(" behind it pulse ", *std::prev(at));
    if (std::next(at) != issuer.stamped.end() && before(std::next(at)->second, message.isochron))
        violated(" before it pulse ", *std::next(at));
    if (issuer.stamped.size() > kMostStamped) issuer.stamped.erase(issuer.stamped.begin());
}

/// Among what its host sends to one other: executed in the order in which it is counted, and announced before
/// its pulse ends.
void TimeChecker::see_on_way(const Where& where, Way& way, const wire::IsotachHeader& message) {
    const std::string which = name(message.isochron, message.host);
    if (!way.messages.add(message.count, both(message.isochron, message.rank)))
        return violated_(where.frame, which + ": its message " + text(message.count) + " to node " +
                                          text(where.to) + " is two different ones");
    const std::uint64_t place = place_of(message);
    way.places.add(message.count, place);
    const auto earlier = way.places.find(message.count - 1);
    const auto later = way.places.find(message.count + 1);
    if ((earlier && *earlier >= place) || (later && *later <= place))
        violated_(where.frame, which + ": its message " + text(message.count) + " to node " + text(where.to) +
                                   " is not executed in the order in which it is counted");
    const auto announced =
        std::lower_bound(way.announced.begin(), way.announced.end(), message.count,
                         [](const Announced& a, std::uint32_t count) { return before(a.count, count); });
    if (announced == way.announced.end()) {
        way.open.push_back({where.frame, message.pulse, message.count, message.isochron});
        if (way.open.size() > kMostOpen) way.open.pop_front();
    } else if (announced->token > message.pulse && announced != way.announced.begin()) {
        late(where.frame, which, message.count, where.to, announced->token, message.pulse);
    }
}

void TimeChecker::late(std::uint64_t frame, const std::string& which, std::uint32_t count, Node to,
                       std::uint64_t token, std::uint64_t pulse) {
    violated_(frame, which + ": its message " + text(count) + " to node " + text(to) +
                         " is announced by token " + text(token) + ", after the end of its pulse " +
                         text(pulse));
}

void TimeChecker::see_token(const Where& where, const wire::TokenView& view) {
    const wire::Token token = view.token();
    Recent& sent = tokens_sent_[{where.job, where.epoch, token.view, where.from, where.to}];
    // Where a link has another MTU than before, it has other parts.
    const std::uint64_t part = both(token.part, token.last_part) * kOdd;
    bool same = sent.add(token.number ^ part, crc_of_entries(view), token.number + token.part);
    // Those that come with it are tokens without entries.
    for (std::uint64_t i = 1; i <= token.further; ++i)
        same &= sent.add(token.number + i, 0);
    if (!same)
        violated_(where.frame, "token " + text(token.number) + " " + pair(where.from, where.to) +
                                   " says something else than when it was sent before");
    Told& told = told_[{where.job, where.to}];
    if (told.epoch != 0 && told.epoch != where.epoch) told.begin_anew();
    told.epoch = where.epoch;
    see_line(where, view);
    see_answer(where, view);
    if (where.frame > kReordered) end_pulses(told, where.to, where.frame - kReordered);
}

/// Messages and what announces them may be of the time before.
void TimeChecker::Told::begin_anew() {
    for (auto& [host, way] : from) {
        way.open.clear();
        way.announced.clear();
    }
    last = 0;
    whole = false;
}

/// A node sends its tokens in order, one for each pulse.
void TimeChecker::see_line(const Where& where, const wire::TokenView& view) {
    Line& line = lines_[{where.job, where.from, where.to}];
    if (line.epoch != where.epoch || line.view != view.view()) {
        if (line.epoch != 0) told_[{where.job, where.to}].begin_anew();
        line = {.epoch = where.epoch, .view = view.view(), .since = where.frame};
    }
    keep(line, where, view);
    if (line.early.size() > kMostEarly || (line.next == 0 && line.since + kReordered < where.frame))
        begin(line);
    if (line.next == 0) return;
    advance(line, where.job, where.to);
    if (line.needed == 0 && lacks_next(line, where.job, where.from, where.to)) line.needed = where.frame;
    if (line.needed != 0 && line.needed + kReordered < where.frame)
        pass_over(line, where.job, where.from, where.to);
}

void TimeChecker::keep(Line& line, const Where& where, const wire::TokenView& view) {
    const wire::Token token = view.token();
    const auto at = [&](std::uint64_t number) -> Seen& {
        const auto [seen, is_new] = line.early.try_emplace(number, Seen{.frame = where.frame});
        tokens_ += is_new ? 1 : 0;
        return seen->second;
    };
    if (token.number >= line.next) {
        Seen& seen = at(token.number);
        if (seen.parts.insert(token.part).second)
            for (std::size_t i = 0; i < view.size(); ++i)
                if (view.entry(i).destination == where.to) seen.entries.push_back(view.entry(i));
        seen.whole = seen.parts.size() == token.last_part + 1U;
    }
    for (std::uint64_t i = 1; i <= token.further; ++i)
        if (token.number + i >= line.next) at(token.number + i).whole = true;
}

/// What a token says counts once all before it are there: one that is seen late may have said it earlier.
void TimeChecker::advance(Line& line, std::uint32_t job, Node to) {
    Told& told = told_[{job, to}];
    // Tokens begin with 1, but in a later view.
    told.whole = told.whole || (line.begin == 1 && line.view == 0);
    for (auto first = line.early.begin();
         first != line.early.end() && first->first == line.next && first->second.whole;
         first = line.early.begin()) {
        for (const wire::TokenEntry& entry : first->second.entries)
            see_announcement(told, entry.source, to, entry.value, line.next);
        line.early.erase(first);
        ++line.next;
        line.needed = 0;
    }
    told.last = std::max(told.last, line.next - 1);
}

/// How far a node has come that is told what time it is, and how far ahead of that: the tokens that it sends
/// before it is told anything say nothing.
void TimeChecker::see_answer(const Where& where, const wire::TokenView& view) {
    const auto found = lines_.find({where.job, where.to, where.from});
    if (found == lines_.end()) return;
    Line& line = found->second;
    const wire::Token token = view.token();
    if (line.answers != where.epoch) {
        line.answers = where.epoch;
        line.ahead = kMostAhead;
        line.reached = 0;
    }
    if (view.size() != 0 && token.view == 0)
        line.ahead = std::min(line.ahead, std::max(token.number, std::uint64_t{2}) - 1);
    const bool same_life = where.to_epoch == static_cast<std::uint16_t>(line.epoch) && where.to_epoch != 0;
    if (same_life && line.view == token.view) line.reached = std::max(line.reached, token.number);
}

void TimeChecker::begin(Line& line) {
    line.begin = line.next = line.early.begin()->first;
}

/// A node that sends a token has those of its neighbour that are so far behind it. Where more than that is
/// missing, the trace is not of all that passed; and the first that are in it may have been sent again.
bool TimeChecker::lacks_next(const Line& line, std::uint32_t job, Node from, Node to) const {
    if (line.early.empty() || line.early.begin()->first - line.next > kMostAhead) return false;
    const auto back = lines_.find({job, to, from});
    const std::uint64_t sender_ahead =
        back == lines_.end() || back->second.ahead == 0 ? kMostAhead : back->second.ahead;
    const std::uint64_t sent_again = 4 * std::max(line.ahead, sender_ahead);
    return line.next > line.begin + sent_again && line.reached > line.next + line.ahead;
}

void TimeChecker::pass_over(Line& line, std::uint32_t job, Node from, Node to) {
    const auto behind = line.early.upper_bound(line.next);
    violated_(line.early.begin()->second.frame, "token " + text(line.next) + " " + pair(from, to) +
                                                    " is not in the trace, and node " + text(to) +
                                                    " has gone on as if it had come");
    line.next = behind == line.early.end() ? line.next + 1 : behind->first;
    line.early.erase(line.early.begin(), behind);
    line.needed = 0;
    advance(line, job, to);
}

void TimeChecker::see_announcement(Told& told, Node from, Node to, std::uint32_t count, std::uint64_t token) {
    Way& way = told.from[from];
    if (!way.announced.empty() && !before(way.announced.back().count, count)) return;  // sent again
    // In a trace that begins in the middle it may have been announced before.
    const bool first = told.whole || !way.announced.empty();
    std::erase_if(way.open, [&](const Open& open) {
        if (before(count, open.count)) return false;
        if (first && token > open.pulse)
            late(open.frame, name(open.isochron, from), open.count, to, token, open.pulse);
        return true;
    });
    way.announced.push_back({count, token});
    if (way.announced.size() > kMostAnnounced) way.announced.pop_front();
}

/// Of messages seen before that frame, those whose pulse has ended must have been announced.
void TimeChecker::end_pulses(Told& told, Node to, std::uint64_t before_frame) {
    for (auto& [host, way] : told.from) {
        const bool first = told.whole || !way.announced.empty();
        std::erase_if(way.open, [&, from = host](const Open& open) {
            if (open.frame >= before_frame || open.pulse >= told.last) return false;
            if (first)
                violated_(open.frame, name(open.isochron, from) + ": its message " + text(open.count) +
                                          " to node " + text(to) +
                                          " is not announced by the end of its pulse " + text(open.pulse));
            return true;
        });
    }
}

void TimeChecker::finish() {
    for (auto& [key, line] : lines_) {
        const auto [job, from, to] = key;
        if (line.next == 0) begin(line);
        advance(line, job, to);
        while (lacks_next(line, job, from, to))
            pass_over(line, job, from, to);
    }
    for (auto& [key, told] : told_)
        end_pulses(told, key.second, kEnd);
}

}  // namespace isoplane::replay
