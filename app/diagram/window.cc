// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "diagram/window.hh"

#include <algorithm>
#include <stdexcept>

namespace isoplane::diagram {

namespace {

struct Span {
    Time from = Time::max();
    Time to = Time::min();
    void take(Time when) {
        from = std::min(from, when);
        to = std::max(to, when);
    }
};

Span span_of(const Story& story) {
    Span all;
    const auto take = [&all](const Flight& flight) {
        all.take(flight.sent);
        if (flight.fate != Fate::kNeverSeen) all.take(flight.received);
    };
    std::for_each(story.tokens.begin(), story.tokens.end(), take);
    std::for_each(story.messages.begin(), story.messages.end(), take);
    return all;
}

/// From the first host to the last at which each pulse ends.
using Ends = std::map<std::uint64_t, Span>;

Ends ends_of(const Story& story) {
    Ends ends;
    for (const Node& node : story.nodes)
        for (const auto& [pulse, when] : node.ends)
            ends[pulse].take(when);
    return ends;
}

/// A pulse begins where the one before it ends.
Time begin_of(Ends::const_iterator pulse, const Ends& ends, const Span& all) {
    return pulse == ends.begin() ? all.from : std::prev(pulse)->second.from;
}

Span of_pulses(const Ends& ends, PulseRange range, const Span& all) {
    const auto first = ends.lower_bound(range.first);
    const auto behind = ends.upper_bound(range.second);
    if (ends.empty())
        throw std::runtime_error(
            "no pulse ends in this capture, as no token arrives at a host; choose a part "
            "with --from and --to.");
    if (first == behind || first == ends.end())
        throw std::runtime_error("none of the pulses " + std::to_string(range.first) + ".." +
                                 std::to_string(range.second) + " ends in this capture: it has " +
                                 std::to_string(ends.begin()->first) + ".." +
                                 std::to_string(ends.rbegin()->first) + ".");
    return {begin_of(first, ends, all), std::prev(behind)->second.to};
}

std::size_t messages_in(const Story& story, const Span& span) {
    return static_cast<std::size_t>(
        std::count_if(story.messages.begin(), story.messages.end(),
                      [&](const Flight& f) { return f.sent >= span.from && f.sent <= span.to; }));
}

/// One more than it takes to execute all messages.
std::uint64_t last_of_interest(const Story& story, const Ends& ends) {
    std::uint64_t last = 0;
    for (const MessageFlight& flight : story.messages)
        last = std::max(last, flight.message.pulse + 1);
    return last == 0 ? ends.rbegin()->first : last;
}

/// From the first message on, as far as a reader can take it in.
Span beginning(const Story& story, const Ends& ends, const Span& all) {
    Time first = all.to;
    for (const Flight& message : story.messages)
        first = std::min(first, message.sent);
    if (story.messages.empty()) first = all.from;
    auto begin = std::find_if(ends.begin(), ends.end(), [&](auto& end) { return end.second.to >= first; });
    if (begin == ends.end()) begin = std::prev(begin);
    Span span{begin_of(begin, ends, all), begin->second.to};
    std::size_t pulses = 1;
    const std::uint64_t last = last_of_interest(story, ends);
    for (auto next = std::next(begin); next != ends.end() && next->first <= last && pulses < kMostPulses;
         ++next, ++pulses) {
        const Span longer{span.from, std::max(span.to, next->second.to)};
        if (messages_in(story, longer) > kMostMessages) break;
        span = longer;
    }
    return span;
}

}  // namespace

Window choose_window(const Story& story, const Wanted& wanted, Time first) {
    const Span all = span_of(story);
    const Ends ends = ends_of(story);
    Window window{.from = all.from, .to = all.to, .drawn = {}, .all = {}};
    const auto choose = [&window](const Span& span) {
        window.from = span.from;
        window.to = span.to;
    };
    if (wanted.pulses) {
        choose(of_pulses(ends, *wanted.pulses, all));
    } else if (wanted.from || wanted.to) {
        choose({wanted.from ? first + *wanted.from : all.from, wanted.to ? first + *wanted.to : all.to});
        if (window.from >= all.to || window.to <= all.from)
            throw std::runtime_error(
                "nothing of logical time happens in the part that --from and --to choose.");
    } else if (!ends.empty() && (ends.size() > kMostPulses || story.messages.size() > kMostMessages)) {
        choose(beginning(story, ends, all));
        window.shortened = true;
    }
    for (const auto& [pulse, span] : ends) {
        if (span.from <= window.from || span.to > window.to) continue;
        window.drawn = PulseRange{window.drawn ? window.drawn->first : pulse, pulse};
    }
    if (!ends.empty()) window.all = PulseRange{ends.begin()->first, ends.rbegin()->first};
    return window;
}

}  // namespace isoplane::diagram
