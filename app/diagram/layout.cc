// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "diagram/layout.hh"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <isoplane/wire/token.hh>
#include <set>
#include <tuple>
#include <utility>

#include "diagram/time_scale.hh"

namespace isoplane::diagram {

namespace {

constexpr double kLeft = 120;
constexpr double kRightMargin = 40;
constexpr double kTop = 64;
constexpr double kLaneHeight = 96;
constexpr double kManyLanesHeight = 56;  ///< so that a large network still fits a screen
constexpr std::size_t kManyLanes = 10;
constexpr double kAxisHeight = 84;      ///< with the legend below it
constexpr double kPulseWidth = 96;      ///< of the usual pulse
constexpr double kLongestPulses = 1.5;  ///< so many pulses of nothing, and the scale is cut short
constexpr double kFrameWidth = 14;
constexpr double kCutWidth = 24;  ///< for what is drawn between two of them
constexpr double kLeastWidth = 980;
constexpr double kGreatestWidth = 6000;
constexpr double kBeside = 3;  ///< between messages that share a frame
constexpr double kDotStep = 9;
constexpr double kLabelRoom = 22;
constexpr double kTimeRoom = 110;
constexpr double kGapRoom = 110;

std::string in_microseconds(Time time) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f µs", static_cast<double>(time.count()) / 1000);
    return text;
}

/// A gap, in the unit that suits it.
std::string in_words(Time time) {
    const auto ns = static_cast<double>(time.count());
    char text[32];
    if (ns < 1e6)
        std::snprintf(text, sizeof text, "%.3g µs", ns / 1e3);
    else if (ns < 1e9)
        std::snprintf(text, sizeof text, "%.3g ms", ns / 1e6);
    else
        std::snprintf(text, sizeof text, "%.3g s", ns / 1e9);
    return text;
}

/// What a host does in the group, in the words of the glossary.
std::string acts_of(std::uint32_t word) {
    std::string text;
    const auto name = [&](bool done, const char* what, unsigned channel) {
        if (done) text += (text.empty() ? "" : ", ") + std::string(what) + ' ' + std::to_string(channel);
    };
    for (unsigned c = 0; c < wire::kSignalChannels; ++c)
        name((word & wire::group_signal(c)) != 0, "signal", c);
    for (unsigned c = 0; c < wire::kBarrierChannels; ++c) {
        name((word & wire::group_join(c)) != 0, "join", c);
        name((word & wire::group_enter(c)) != 0, "enter", c);
        name((word & wire::group_leave(c)) != 0, "leave", c);
    }
    return text;
}

class Layout {
  public:
    Layout(const Story& story, const Window& window, Time first)
        : story_(story), window_(window), first_(first), scale_(make_scale()) {
        place_lanes();
        draw_.left = kLeft;
        draw_.right = std::max(scale_.end(), kLeft + kLeastWidth);
        draw_.width = draw_.right + kRightMargin;
    }

    Drawing finish() && {
        colour_isochrons();
        place_pulses();
        place_tokens();
        place_messages();
        place_executions();
        place_times();
        return std::move(draw_);
    }

  private:
    bool in_window(Time when) const { return when >= window_.from && when <= window_.to; }
    bool shows(const Flight& flight) const {
        const Time end = flight.fate == Fate::kNeverSeen ? flight.sent : flight.received;
        return flight.sent <= window_.to && end >= window_.from;
    }

    /// The usual length of a pulse: half of them are shorter.
    Time usual_pulse() const {
        std::vector<Time> lengths;
        for (const Node& node : story_.nodes) {
            for (auto end = node.ends.begin(); end != node.ends.end(); ++end)
                if (end != node.ends.begin() && in_window(end->second))
                    lengths.push_back(end->second - std::prev(end)->second);
        }
        if (lengths.empty()) return (window_.to - window_.from) / 8;
        std::nth_element(lengths.begin(), lengths.begin() + static_cast<long>(lengths.size() / 2),
                         lengths.end());
        return lengths[lengths.size() / 2];
    }

    TimeScale make_scale() const {
        std::vector<Time> events{window_.from, window_.to};
        const auto note = [&](const Flight& flight) {
            for (const Time when : {flight.sent, flight.received})
                if (in_window(when)) events.push_back(when);
        };
        std::for_each(story_.tokens.begin(), story_.tokens.end(), note);
        std::for_each(story_.messages.begin(), story_.messages.end(), note);
        const Time usual = std::max(usual_pulse(), Time{1});
        const Time longest{std::llround(static_cast<double>(usual.count()) * kLongestPulses)};
        TimeScale scale(std::move(events), longest);
        const auto pulses = window_.drawn ? window_.drawn->second - window_.drawn->first + 1 : 1;
        const auto frames =
            std::count_if(story_.messages.begin(), story_.messages.end(),
                          [this](auto& flight) { return flight.place == 0 && shows(flight); });
        const double wanted = std::max({static_cast<double>(pulses) * kPulseWidth,
                                        static_cast<double>(scale.breaks().size()) * kCutWidth,
                                        static_cast<double>(frames) * kFrameWidth});
        scale.place(kLeft, std::clamp(wanted, kLeastWidth, kGreatestWidth));
        return scale;
    }

    void place_lanes() {
        const double height = story_.nodes.size() > kManyLanes ? kManyLanesHeight : kLaneHeight;
        double y = kTop + height * 0.75;
        for (const Node& node : story_.nodes) {
            const std::string what = (node.manager ? "TM " : "host ") + std::to_string(node.id);
            draw_.lanes.push_back({y, node.name.empty() ? what : what + " · " + node.name, node.manager});
            lane_of_[node.id] = y;
            y += height;
        }
        draw_.top = kTop;
        draw_.bottom = y - height * 0.5;
        draw_.height = draw_.bottom + kAxisHeight;
    }

    /// In the order in which they leave, so that neighbours differ.
    void colour_isochrons() {
        std::vector<const MessageFlight*> leaving;
        for (const MessageFlight& flight : story_.messages)
            leaving.push_back(&flight);
        std::stable_sort(leaving.begin(), leaving.end(), [](auto* a, auto* b) { return a->sent < b->sent; });
        for (const MessageFlight* flight : leaving) {
            const auto next = static_cast<unsigned>(colours_.size() % kColours);
            colours_.emplace(isochron_of(flight->message), next);
        }
    }
    using IsochronId = std::pair<NodeId, std::uint32_t>;
    static IsochronId isochron_of(const Message& message) { return {message.issuer, message.isochron}; }

    /// A column is as ragged as the pulse's end is at the hosts.
    void place_pulses() {
        if (!window_.drawn) return;
        std::vector<Point> before;
        for (const std::uint64_t pulse : pulses_around(*window_.drawn)) {
            std::vector<Point> front;
            for (std::size_t i = 0; i < story_.nodes.size(); ++i) {
                const auto end = story_.nodes[i].ends.find(pulse);
                if (end == story_.nodes[i].ends.end()) continue;
                const Point at{scale_.at(end->second), draw_.lanes[i].y};
                front.push_back(at);
                if (in_window(end->second)) draw_.ticks.push_back({at, pulse});
            }
            if (front.empty()) continue;
            front.insert(front.begin(), {front.front().x, draw_.top});
            front.push_back({front.back().x, draw_.bottom});
            if (before.empty() && pulse >= window_.drawn->first)
                before = {{draw_.left, draw_.top}, {draw_.left, draw_.bottom}};
            if (!before.empty()) add_column(pulse, before, front);
            before = std::move(front);
        }
    }

    /// Those that end at any host; those at the edges reach in, as hosts are not at one.
    std::set<std::uint64_t> pulses_around(PulseRange drawn) const {
        std::set<std::uint64_t> pulses;
        for (const Node& node : story_.nodes) {
            for (const auto& [pulse, when] : node.ends) {
                const bool begins = pulse >= drawn.first || drawn.first - pulse == 1;
                const bool ends = pulse <= drawn.second || pulse - drawn.second == 1;
                if (begins && ends) pulses.insert(pulse);
            }
        }
        return pulses;
    }

    void add_column(std::uint64_t pulse, const std::vector<Point>& begin, const std::vector<Point>& end) {
        Column column{.outline = begin, .pulse = pulse, .shaded = pulse % 2 == 0};
        column.outline.insert(column.outline.end(), end.rbegin(), end.rend());
        const double left = std::max(begin.front().x, draw_.left);
        column.middle = (left + end.front().x) / 2;
        column.labelled = pulse <= window_.drawn->second && end.front().x - left > kLabelRoom;
        draw_.columns.push_back(std::move(column));
    }

    Point at(NodeId node, Time when) const { return {scale_.at(when), lane_of_.at(node)}; }

    Arrow arrow(const Flight& flight) const {
        Arrow arrow{.from = at(flight.from, flight.sent),
                    .to = at(flight.to, flight.received),
                    .fate = flight.fate,
                    .again = flight.again,
                    .tip = {}};
        // It ends on the way, and as steep as one that takes no time.
        if (flight.fate == Fate::kNeverSeen)
            arrow.to = {arrow.from.x + 14, arrow.from.y + (lane_of_.at(flight.to) - arrow.from.y) * 0.4};
        return arrow;
    }

    std::string way_of(const Flight& flight) const {
        std::string text = std::to_string(flight.from) + " → " + std::to_string(flight.to) + ", sent " +
                           (flight.again ? "again " : "") + "at " + in_microseconds(flight.sent - first_);
        if (flight.fate == Fate::kNeverSeen) return text + ", not seen to arrive";
        if (flight.received != flight.sent)
            text += ", arrived at " + in_microseconds(flight.received - first_);
        return text + (flight.fate == Fate::kRepeated ? " once more" : "");
    }

    void place_tokens() {
        std::set<std::pair<NodeId, std::uint64_t>> acted;
        for (const TokenFlight& flight : story_.tokens) {
            if (!shows(flight)) continue;
            Arrow token = arrow(flight);
            token.tip = "token " + std::to_string(flight.token.number) + ", " + way_of(flight);
            draw_.tokens.push_back(std::move(token));
            const std::string acts = acts_of(flight.token.group_word);
            if (acts.empty() || !acted.insert({flight.from, flight.token.number}).second) continue;
            draw_.acts.push_back({at(flight.from, flight.sent), acts});
        }
    }

    void place_messages() {
        std::map<NodeId, double> labelled_until;
        std::set<IsochronId> labelled;
        for (const MessageFlight& flight : story_.messages) {
            if (!shows(flight)) continue;
            const Message& message = flight.message;
            Arrow way = arrow(flight);
            way.from.x += flight.place * kBeside;
            way.to.x += flight.place * kBeside;
            way.colour = colours_.at(isochron_of(message));
            way.tip = describe(message) + "; " + way_of(flight);
            if (way.from.x >= labelled_until[flight.from] && labelled.insert(isochron_of(message)).second) {
                draw_.isochrons.push_back({way.from, std::to_string(message.isochron), way.colour});
                labelled_until[flight.from] = way.from.x + kLabelRoom;
            }
            draw_.messages.push_back(std::move(way));
        }
    }

    static std::string describe(const Message& message) {
        return "isochron " + std::to_string(message.isochron) + " of host " + std::to_string(message.issuer) +
               ", rank " + std::to_string(message.rank) + ", " + std::to_string(message.size) +
               " bytes, executed at the end of pulse " + std::to_string(message.pulse);
    }

    /// No message is executed before its pulse has ended, nor before all that are due by then have arrived.
    void place_executions() {
        std::map<NodeId, std::vector<const MessageFlight*>> at_host;
        for (const MessageFlight& flight : story_.messages)
            if (flight.fate == Fate::kArrived) at_host[flight.to].push_back(&flight);
        for (const Node& node : story_.nodes) {
            auto& messages = at_host[node.id];
            std::sort(messages.begin(), messages.end(), [](auto* a, auto* b) {
                const auto order = [](const Message& m) { return std::tuple(m.pulse, m.issuer, m.rank); };
                return order(a->message) < order(b->message);
            });
            Time executed = Time::min();
            double height = 0;
            for (auto first = messages.begin(); first != messages.end();) {
                const std::uint64_t pulse = (*first)->message.pulse;
                const auto behind =
                    std::find_if(first, messages.end(), [&](auto* f) { return f->message.pulse != pulse; });
                const auto end = node.ends.find(pulse);
                Time ready = end == node.ends.end() ? executed : std::max(executed, end->second);
                for (auto it = first; it != behind; ++it)
                    ready = std::max(ready, (*it)->received);
                if (ready != executed) height = 0;
                executed = ready;
                for (; first != behind; ++first) {
                    height += kDotStep;
                    if (end != node.ends.end() && in_window(ready)) add_dot(**first, ready, height);
                }
            }
        }
    }

    void add_dot(const MessageFlight& flight, Time when, double height) {
        Point where = at(flight.to, when);
        where.y -= height;
        draw_.dots.push_back(
            {where, colours_.at(isochron_of(flight.message)),
             describe(flight.message) + ", here not before " + in_microseconds(when - first_)});
    }

    /// At round times as far as the scale is whole there; else where something happens.
    void place_times() {
        double step = 1;
        while (step * scale_.per_ns() < kTimeRoom)
            step *= std::llround(step / std::pow(10, std::floor(std::log10(step)))) == 2 ? 2.5 : 2;
        const auto every = static_cast<Time::rep>(step);
        double last = draw_.left - kTimeRoom / 2;
        while (last + kTimeRoom <= scale_.end()) {
            Time when = scale_.event_behind(last + kTimeRoom / 2);
            const Time::rep round = ((when - first_).count() + every - 1) / every * every;
            const double there = scale_.at(first_ + Time{round});
            if (there <= scale_.end() && there - last < 3 * kTimeRoom) when = first_ + Time{round};
            last = std::max(scale_.at(when), last + 1);
            draw_.times.push_back({{last, draw_.bottom}, in_microseconds(when - first_)});
        }
        double labelled = 0;
        for (const TimeScale::Break& gap : scale_.breaks()) {
            const bool room = gap.at - labelled > kGapRoom;
            draw_.breaks.push_back({{gap.at, draw_.bottom}, room ? in_words(gap.length) : ""});
            if (room) labelled = gap.at;
        }
    }

    const Story& story_;
    const Window& window_;
    Time first_;
    TimeScale scale_;
    Drawing draw_;
    std::map<NodeId, double> lane_of_;
    std::map<IsochronId, unsigned> colours_;
};

}  // namespace

Drawing lay_out(const Story& story, const Window& window, Time first) {
    return Layout(story, window, first).finish();
}

}  // namespace isoplane::diagram
