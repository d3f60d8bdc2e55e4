// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "replay/check_time.hh"

#include <algorithm>
#include <isoplane/wire/crc32c.hh>

namespace isoplane::replay {

namespace {

/// How many announcements are remembered for messages that are seen after them.
constexpr std::size_t kMostAnnounced = 1024;
/// And how many messages wait for theirs; where no tokens are captured, that is all of them.
constexpr std::size_t kMostOpen = 4096;
/// Most pulses have fewer messages of a host.
constexpr std::uint64_t kRanksApart = 61;

/// For comparison with others of the same host.
std::uint64_t place_of(const wire::IsotachHeader& message) {
    return message.pulse << 24 | (message.rank & 0xffffffU);
}

std::string name(std::uint32_t isochron, std::uint16_t host) {
    return "isochron " + std::to_string(isochron) + " of host " + std::to_string(host);
}

std::string text(std::uint64_t number) {
    return std::to_string(number);
}

std::string pair(std::uint16_t from, std::uint16_t to) {
    return "from node " + text(from) + " to node " + text(to);
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
    // What a survivor hands over was counted and announced for another.
    if (message.host != where.from) return;
    Way& way = told_[{where.job, where.to}].from[message.host];
    if (way.epoch != where.epoch) {
        way = {};
        way.epoch = where.epoch;
    }
    see_on_way(where, way, message);
}

/// Among all that its host issues.
void TimeChecker::see_issue(const Where& where, const wire::IsotachHeader& message) {
    const std::string which = name(message.isochron, message.host);
    Issuer& issuer = issuers_[{where.job, where.epoch, message.host}];
    if (!issuer.pulses.add(message.isochron, message.pulse))
        violated_(where.frame,
                  which + " has a message of pulse " + text(message.pulse) + ", and others of another pulse");
    if (!issuer.isochron || before(*issuer.isochron, message.isochron)) {
        ++isochrons_;
        if (issuer.isochron && message.pulse < issuer.pulse)
            violated_(where.frame, which + " has pulse " + text(message.pulse) + ", isochron " +
                                       text(*issuer.isochron) + " before it " + text(issuer.pulse));
        issuer.isochron = message.isochron;
        issuer.pulse = message.pulse;
    }
    const std::uint64_t content = both(where.to, message.count);
    if (!issuer.places.add(place_of(message), content, message.pulse * kRanksApart + message.rank))
        violated_(where.frame, which + ": another message of its host has the same place, pulse " +
                                   text(message.pulse) + ", rank " + text(message.rank));
}

/// Among what its host sends to one other: executed in the order in which it is counted, and announced before
/// its pulse ends.
void TimeChecker::see_on_way(const Where& where, Way& way, const wire::IsotachHeader& message) {
    const std::string which = name(message.isochron, message.host);
    if (!way.messages.add(message.count, both(message.isochron, message.rank)))
        return violated_(where.frame, which + ": its message " + text(message.count) + " to node " +
                                          text(where.to) + " is two different ones");
    way.from_start = way.from_start || message.count == 1;
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
    ++tokens_;
    const wire::Token token = view.token();
    const auto part = static_cast<std::uint16_t>(token.part << 8 | token.last_part);
    Recent& sent = tokens_sent_[{where.job, where.epoch, where.from, where.to, part}];
    if (!sent.add(token.number, crc_of_entries(view)))
        violated_(where.frame, "token " + text(token.number) + " " + pair(where.from, where.to) +
                                   " says something else than when it was sent before");
    Told& told = told_[{where.job, where.to}];
    if (told.epoch != 0 && told.epoch != where.epoch) {
        // Time has begun anew.
        for (auto& [host, way] : told.from) {
            way.open.clear();
            way.announced.clear();
        }
        told.last = 0;
    }
    told.epoch = where.epoch;
    for (std::size_t i = 0; i < view.size(); ++i) {
        const wire::TokenEntry entry = view.entry(i);
        if (entry.destination == where.to)
            see_announcement(told.from[entry.source], entry.source, where.to, entry.value, token.number);
    }
    told.last = std::max(told.last, token.number + token.further);
    if (where.frame > kReordered) end_pulses(told, where.to, where.frame - kReordered);
}

void TimeChecker::see_announcement(Way& way, Node from, Node to, std::uint32_t count, std::uint64_t token) {
    if (!way.announced.empty() && !before(way.announced.back().count, count)) return;  // sent again
    // In a trace that begins in the middle it may have been announced before.
    const bool first = way.from_start || !way.announced.empty();
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
        const bool first = way.from_start || !way.announced.empty();
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
    for (auto& [key, told] : told_)
        end_pulses(told, key.second, ~std::uint64_t{0});
}

}  // namespace isoplane::replay
