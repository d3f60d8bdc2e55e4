// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "sim/mortality.hh"

#include <algorithm>
#include <isoplane/wire/token.hh>
#include <map>
#include <tuple>

#include "sim/rules.hh"

namespace isoplane::sim {

namespace {

bool has(const wire::View& view, std::uint16_t node, std::uint32_t epoch) {
    const auto at = std::ranges::find(view.members, node, &wire::Member::node);
    return at != view.members.end() && at->epoch == epoch;
}

/// When all learn of it, for what a host does in the group; its stamp, for an isochron that has one. Who
/// leaves a barrier is told of it no more from then on, whenever the others learn of that.
Pulse known_at(const Event& event, std::uint32_t greatest_distance) {
    Pulse pulse = 0;
    std::visit(On{[&](const Issue& e) { pulse = e.stamp; },
                  [&](const SignalSent& e) { pulse = e.clock + greatest_distance; },
                  [&](const BarrierJoined& e) { pulse = e.clock; },
                  [&](const BarrierEntered& e) { pulse = e.clock + greatest_distance; }},
               event);
    return pulse;
}

Pulse executed_at(const Event& event) {
    Pulse pulse = 0;
    std::visit(On{[&](const Delivery& e) { pulse = e.time.pulse; },
                  [&](const SignalNotice& e) { pulse = e.time.pulse; },
                  [&](const BarrierNotice& e) { pulse = e.time.pulse; }},
               event);
    return pulse;
}

using Key = std::tuple<std::uint16_t, std::uint32_t, std::uint64_t>;

/// Of the parts for a life, those that it was not delivered: up to the pulse in which it joined; and where it
/// is lost, from the last pulse that it executed on, in the midst of which it may have been.
void forget_parts_for(std::uint16_t place, std::vector<Life>& lives) {
    const Life& life = lives[place];
    const Pulse end = life.lost ? last_executed(life.events) : UINT64_MAX;
    std::multimap<Key, bool> delivered;
    for (const Event& event : life.events)
        if (const auto* d = std::get_if<Delivery>(&event))
            delivered.emplace(Key{d->issuer, d->isochron, d->content}, true);
    for (std::size_t issuer = 0; issuer < lives.size(); ++issuer) {
        for (Event& event : lives[issuer].events) {
            auto* issue = std::get_if<Issue>(&event);
            if (issue == nullptr || (issue->stamp > life.joined && issue->stamp < end)) continue;
            std::erase_if(issue->parts, [&](const Part& part) {
                if (part.destination != place) return false;
                const auto at =
                    delivered.find({static_cast<std::uint16_t>(issuer), issue->number, part.content});
                if (at == delivered.end()) return true;
                delivered.erase(at);
                return false;
            });
        }
    }
}

/// Which life of a host a pulse is of.
class Calendar {
  public:
    Calendar(const std::vector<Life>& lives, const Views& views) {
        for (std::size_t place = 0; place < lives.size(); ++place) {
            const wire::View* first = views.with(lives[place].host, lives[place].epoch);
            const Pulse from = first == nullptr ? UINT64_MAX : first->number == 1 ? 0 : first->base + 1;
            places_[lives[place].host].emplace(from, static_cast<std::uint16_t>(place));
        }
    }

    std::uint16_t place(std::uint16_t host, Pulse pulse) const {
        // What is before all its lives is for the first, which was let in more than once before it learned.
        const std::map<Pulse, std::uint16_t>& of_host = places_.at(host);
        const auto next = of_host.upper_bound(pulse);
        return next == of_host.begin() ? next->second : std::prev(next)->second;
    }

  private:
    std::map<std::uint16_t, std::map<Pulse, std::uint16_t>> places_;
};

/// In place of hosts, from here on, there are lives. Of what a host has at its own time it is the issuer.
void name_lives(std::vector<Life>& lives, const Calendar& calendar) {
    for (std::size_t i = 0; i < lives.size(); ++i) {
        const auto here = static_cast<std::uint16_t>(i);
        const std::uint16_t host = lives[i].host;
        for (Event& event : lives[i].events) {
            if (auto* d = std::get_if<Delivery>(&event)) {
                d->issuer = d->issuer == host ? here : calendar.place(d->issuer, d->time.pulse);
                d->time.host = d->issuer;
            } else if (auto* issue = std::get_if<Issue>(&event)) {
                for (Part& part : issue->parts)
                    part.destination =
                        part.destination == host ? here : calendar.place(part.destination, issue->stamp);
            }
        }
    }
}

std::vector<MembershipNotice> notices_of(const Life& life) {
    std::vector<MembershipNotice> told;
    for (const Event& event : life.events)
        if (const auto* notice = std::get_if<MembershipNotice>(&event)) told.push_back(*notice);
    return told;
}

/// The last pulse of which it has certainly been told all.
Pulse told_to(const Life& life, bool cut_short) {
    if (!life.lost && !cut_short) return UINT64_MAX;
    Pulse last = last_executed(life.events);
    for (const MembershipNotice& notice : notices_of(life))
        last = std::max(last, notice.time.pulse);
    return last == 0 ? 0 : last - 1;
}

/// Where in time it was told of others.
std::string check_notices(const Life& life, const Views& views) {
    for (const MembershipNotice& notice : notices_of(life)) {
        // Of who was not there when it joined another has told it, in whichever view that was.
        if (!notice.joined && notice.time.pulse == life.joined) continue;
        const Pulse due = views.told_at(notice.view);
        if (notice.time.place == Place::kEnd && notice.time.pulse == due) continue;
        return host_name(life.host) + " was told at " + to_string(notice.time) +
               " of who has left or joined in view " + std::to_string(notice.view) +
               ", which was to be at the end of pulse " + std::to_string(due);
    }
    return {};
}

bool is_same(const MembershipNotice& a, const MembershipNotice& b) {
    return a.host == b.host && a.joined == b.joined && a.view == b.view && a.time.pulse == b.time.pulse;
}

/// While both were there, they were told the same, in one order; where one of them joined, who did with it.
std::string compare_notices(const Life& a, const Life& b, bool cut_short) {
    const Pulse from = std::max(a.joined, b.joined);
    const Pulse to = std::min(told_to(a, cut_short), told_to(b, cut_short));
    const auto between = [&](const Life& life) {
        std::vector<MembershipNotice> told = notices_of(life);
        std::erase_if(told, [&](const MembershipNotice& notice) {
            const Pulse pulse = notice.time.pulse;
            return pulse < from || pulse > to || (pulse == from && !notice.joined);
        });
        return told;
    };
    // Their place at the end of the pulse depends on which signals a host has registered.
    if (std::ranges::equal(between(a), between(b), is_same)) return {};
    const auto text = [&](const Life& life) {
        std::string all;
        for (const MembershipNotice& notice : between(life))
            all += " " + std::to_string(notice.host) + (notice.joined ? " joined" : " left") + " in view " +
                   std::to_string(notice.view) + " at " + std::to_string(notice.time.pulse) + ",";
        return all;
    };
    return host_name(a.host) + " and " + host_name(b.host) + ":" + text(a) + " versus" + text(b) +
           " were not told the same of who has left and joined, or not at the same time";
}

}  // namespace

void Views::add(const wire::View& view) {
    if (view.number == 0) return;
    const auto [at, is_new] = views_.try_emplace(view.number, view);
    if (!is_new && at->second != view && complaint_.empty())
        complaint_ =
            "there are two histories: view " + std::to_string(view.number) + " is not the same for all";
}

const wire::View* Views::with(std::uint16_t node, std::uint32_t epoch) const {
    const wire::View* came = nullptr;
    bool was_in = false;
    for (const auto& [number, view] : views_) {
        const bool is_in = has(view, node, epoch);
        if (is_in && !was_in) came = &view;
        was_in = is_in;
    }
    return came;
}

const wire::View* Views::without(std::uint16_t node, std::uint32_t epoch) const {
    const wire::View* went = nullptr;
    bool was_in = false;
    for (const auto& [number, view] : views_) {
        const bool is_in = has(view, node, epoch);
        if (is_in) went = nullptr;
        if (was_in && !is_in) went = &view;
        was_in = is_in;
    }
    return went;
}

Pulse Views::told_at(std::uint32_t number) const {
    Pulse pulse = 0;
    for (auto at = views_.find(number); at != views_.end(); ++at)
        if (at->first == number || at->second.cut < pulse) pulse = at->second.base;
    return pulse;
}

std::size_t Views::failovers() const {
    const auto is_played = [](const wire::Member& member) { return member.played_by != member.node; };
    const auto on_its_own = [](const wire::View& view, std::uint16_t node) {
        const auto at = std::ranges::find(view.members, node, &wire::Member::node);
        return at != view.members.end() && at->played_by == node;
    };
    std::size_t n = 0;
    const wire::View* before = nullptr;
    for (const auto& [number, view] : views_) {
        if (before != nullptr)
            for (const wire::Member& member : view.members)
                if (is_played(member) && on_its_own(*before, member.node)) ++n;
        before = &view;
    }
    return n;
}

Pulse last_executed(const std::vector<Event>& events) {
    Pulse last = 0;
    for (const Event& event : events)
        last = std::max(last, executed_at(event));
    return last;
}

/// It was to be told first of all that it has joined, and when.
std::string find_joined(Life& life, const Views& views) {
    const wire::View* first = views.with(life.host, life.epoch);
    if (first != nullptr && first->number == 1) return {};
    life.joined = UINT64_MAX;
    const auto is_told = [&](const Event& event) {
        const auto* notice = std::get_if<MembershipNotice>(&event);
        return notice != nullptr && notice->joined && notice->host == life.host;
    };
    const auto told = std::ranges::find_if(life.events, is_told);
    if (told == life.events.end()) {
        const bool has_lived = !life.events.empty();
        life.lost = true;
        return has_lived ? host_name(life.host) + " was not told that it has joined" : std::string();
    }
    life.joined = std::get<MembershipNotice>(*told).time.pulse;
    return {};
}

std::string settle_lives(std::vector<Life>& lives, const Views& views, std::uint32_t greatest_distance,
                         bool cut_short) {
    std::string wrong;
    const auto complain = [&wrong](const std::string& what) {
        if (wrong.empty()) wrong = what;
    };
    for (Life& life : lives) {
        complain(find_joined(life, views));
        complain(check_notices(life, views));
        const wire::View* view = views.without(life.host, life.epoch);
        if (view == nullptr) continue;
        life.lost = true;
        for (const Event& event : life.events) {
            if (executed_at(event) > view->cut)
                complain(host_name(life.host) + " executed pulse " + std::to_string(executed_at(event)) +
                         ", but the others went on without it after pulse " + std::to_string(view->cut));
        }
        std::erase_if(life.events,
                      [&](const Event& event) { return known_at(event, greatest_distance) > view->cut; });
        for (unsigned channel = 0; channel < wire::kBarrierChannels; ++channel)
            life.events.push_back(BarrierLeft{static_cast<std::uint8_t>(channel), view->base});
    }
    for (const Life& a : lives)
        for (const Life& b : lives)
            if (&a < &b && a.joined != UINT64_MAX && b.joined != UINT64_MAX)
                complain(compare_notices(a, b, cut_short));
    name_lives(lives, Calendar(lives, views));
    for (std::size_t i = 0; i < lives.size(); ++i)
        if (lives[i].lost || lives[i].joined != 0) forget_parts_for(static_cast<std::uint16_t>(i), lives);
    return wrong;
}

}  // namespace isoplane::sim
