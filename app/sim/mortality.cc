// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "sim/mortality.hh"

#include <algorithm>
#include <isoplane/wire/token.hh>
#include <tuple>

#include "sim/rules.hh"

namespace isoplane::sim {

namespace {

bool has(const wire::View& view, std::uint16_t node) {
    return std::ranges::find(view.members, node, &wire::Member::node) != view.members.end();
}

/// When all learn of it, for what a host does in the group; its stamp, for an isochron that has one.
Pulse known_at(const Event& event, std::uint32_t greatest_distance) {
    Pulse pulse = 0;
    std::visit(On{[&](const Issue& e) { pulse = e.stamp; },
                  [&](const SignalSent& e) { pulse = e.clock + greatest_distance; },
                  [&](const BarrierJoined& e) { pulse = e.clock; },
                  [&](const BarrierEntered& e) { pulse = e.clock + greatest_distance; },
                  [&](const BarrierLeft& e) { pulse = e.clock + greatest_distance; }},
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

/// Of the parts for a host that is lost, those that it was not delivered.
void forget_parts_for(std::uint16_t lost, History& history) {
    std::multimap<Key, bool> delivered;
    for (const Event& event : history[lost])
        if (const auto* d = std::get_if<Delivery>(&event))
            delivered.emplace(Key{d->issuer, d->isochron, d->content}, true);
    for (std::size_t issuer = 0; issuer < history.size(); ++issuer) {
        for (Event& event : history[issuer]) {
            auto* issue = std::get_if<Issue>(&event);
            if (issue == nullptr) continue;
            std::erase_if(issue->parts, [&](const Part& part) {
                if (part.destination != lost) return false;
                const auto at =
                    delivered.find({static_cast<std::uint16_t>(issuer), issue->number, part.content});
                if (at == delivered.end()) return true;
                delivered.erase(at);
                return false;
            });
        }
    }
}

}  // namespace

void Views::see(const wire::View& view) {
    if (view.number == 0) return;
    const auto [at, is_new] = views_.try_emplace(view.number, view);
    if (!is_new && at->second != view && complaint_.empty())
        complaint_ =
            "there are two histories: view " + std::to_string(view.number) + " is not the same for all";
}

const wire::View* Views::without(std::uint16_t node) const {
    bool was_in = false;
    for (const auto& [number, view] : views_) {
        if (was_in && !has(view, node)) return &view;
        was_in = has(view, node);
    }
    return nullptr;
}

Pulse last_executed(const std::vector<Event>& events) {
    Pulse last = 0;
    for (const Event& event : events)
        last = std::max(last, executed_at(event));
    return last;
}

std::string forget_the_lost(History& history, const Views& views, std::uint32_t greatest_distance) {
    std::string wrong;
    for (std::size_t i = 0; i < history.size(); ++i) {
        const auto host = static_cast<std::uint16_t>(i);
        const wire::View* view = views.without(host);
        if (view == nullptr) continue;
        for (const Event& event : history[host]) {
            if (executed_at(event) > view->cut && wrong.empty())
                wrong = host_name(host) + " executed pulse " + std::to_string(executed_at(event)) +
                        ", but the others went on without it after pulse " + std::to_string(view->cut);
        }
        std::erase_if(history[host],
                      [&](const Event& event) { return known_at(event, greatest_distance) > view->cut; });
        for (unsigned channel = 0; channel < wire::kBarrierChannels; ++channel)
            history[host].push_back(BarrierLeft{static_cast<std::uint8_t>(channel), view->base});
    }
    for (std::size_t host = 0; host < history.size(); ++host)
        if (views.without(static_cast<std::uint16_t>(host)) != nullptr)
            forget_parts_for(static_cast<std::uint16_t>(host), history);
    return wrong;
}

}  // namespace isoplane::sim
