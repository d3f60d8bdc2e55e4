// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "sim/index.hh"

#include <stdexcept>

namespace isoplane::sim {

namespace {

std::string name(const Delivery& d) {
    return "part " + std::to_string(d.part) + " of isochron " + std::to_string(d.isochron) + " of " +
           host_name(d.issuer);
}

void check_shape(const Setting& setting, const History& history) {
    const std::size_t hosts = setting.hosts;
    if (history.size() != hosts)
        throw std::invalid_argument("the history is of " + std::to_string(history.size()) +
                                    " hosts, the setting of " + std::to_string(hosts) +
                                    ": they must be of one run.");
    if (setting.distances.size() != hosts * hosts)
        throw std::invalid_argument("there are " + std::to_string(setting.distances.size()) +
                                    " distances between " + std::to_string(hosts) +
                                    " hosts: give one for every pair, both ways.");
    if (!setting.signals.empty() && setting.signals.size() != hosts)
        throw std::invalid_argument("signals are registered for " + std::to_string(setting.signals.size()) +
                                    " of " + std::to_string(hosts) + " hosts: give all of them, or none.");
}

void check_issue(std::size_t host, const Issue& issue, std::size_t expected, std::size_t hosts) {
    if (issue.number != expected)
        throw std::invalid_argument(host_name(host) + " recorded isochron " + std::to_string(issue.number) +
                                    " after " + std::to_string(expected) +
                                    " others: number them from 0 as they are issued.");
    for (const Part& part : issue.parts) {
        if (part.destination >= hosts)
            throw std::invalid_argument(
                host_name(host) + " recorded isochron " + std::to_string(issue.number) + " with a part for " +
                host_name(part.destination) + ", but there are only " + std::to_string(hosts) + " hosts.");
    }
}

LogicalTime time_of(const Event& event) {
    if (const auto* delivery = std::get_if<Delivery>(&event)) return delivery->time;
    if (const auto* notice = std::get_if<SignalNotice>(&event)) return notice->time;
    if (const auto* notice = std::get_if<BarrierNotice>(&event)) return notice->time;
    return {};
}

}  // namespace

Index::Index(const Setting& setting, const History& history, Findings& findings)
    : history_(history), executions_(history.size()), missing_(history.size()), reached_(history.size()) {
    check_shape(setting, history);
    add_issues(setting);
    count_parts(setting);
    for (std::size_t host = 0; host < history.size(); ++host)
        match_deliveries(host, findings);
    find_missing();
}

void Index::add_issues(const Setting& setting) {
    for (std::size_t host = 0; host < history_.size(); ++host) {
        first_of_.push_back(static_cast<IsochronId>(isochrons_.size()));
        for (const Event& event : history_[host]) {
            const auto* issue = std::get_if<Issue>(&event);
            if (issue == nullptr) continue;
            check_issue(host, *issue, isochrons_.size() - first_of_.back(), setting.hosts);
            isochrons_.push_back({.issue = issue, .issuer = static_cast<std::uint16_t>(host)});
        }
    }
    first_of_.push_back(static_cast<IsochronId>(isochrons_.size()));
}

void Index::count_parts(const Setting& setting) {
    std::size_t parts = 0;
    for (const Isochron& isochron : isochrons_)
        parts += isochron.issue->parts.size();
    fates_.resize(parts);
    std::vector<std::uint32_t> to(setting.hosts);  // parts of one isochron, by destination
    PartFate* next = fates_.data();
    for (Isochron& isochron : isochrons_) {
        const auto& all = isochron.issue->parts;
        isochron.fates = {next, all.size()};
        next += all.size();
        for (std::size_t i = 0; i < all.size(); ++i) {
            isochron.fates[i].nth = to[all[i].destination]++;
            isochron.net |= all[i].destination != isochron.issuer;
        }
        for (std::size_t i = 0; i < all.size(); ++i)
            isochron.fates[i].among = to[all[i].destination];
        for (const Part& part : all)
            to[part.destination] = 0;
    }
}

void Index::match_deliveries(std::size_t host, Findings& findings) {
    const auto wrong = [&](const Delivery& d, const std::string& why) {
        findings.report(Rule::kContent, [&] {
            return host_name(host) + " was delivered " + name(d) + " at " + to_string(d.time) + ", " + why +
                   ".";
        });
    };
    for (const Event& event : history_[host]) {
        reached_[host] = std::max(reached_[host], time_of(event));
        const auto* d = std::get_if<Delivery>(&event);
        if (d == nullptr) continue;
        const bool issued = d->issuer < history_.size() &&
                            d->isochron < first_of_[d->issuer + 1U] - first_of_[d->issuer] &&
                            d->part < isochrons_[first_of_[d->issuer] + d->isochron].fates.size();
        if (!issued) {
            wrong(*d, "which was never issued");
            continue;
        }
        const IsochronId id = first_of_[d->issuer] + d->isochron;
        Isochron& isochron = isochrons_[id];
        const Part& part = isochron.issue->parts[d->part];
        PartFate& fate = isochron.fates[d->part];
        if (part.destination != host) {
            wrong(*d, "which was issued to " + host_name(part.destination));
            continue;
        }
        if (fate.delivery != nullptr) {
            wrong(*d, "and had been delivered it before, at " + to_string(fate.delivery->time));
            continue;
        }
        if (part.content != d->content)
            wrong(*d, "with content " + std::to_string(d->content) + " where " +
                          std::to_string(part.content) + " was issued");
        fate.delivery = d;
        if (isochron.first == nullptr || d->part < isochron.first->part) isochron.first = d;
        executions_[host].push_back({id, d});
    }
}

void Index::find_missing() {
    for (std::size_t id = 0; id < isochrons_.size(); ++id) {
        const Isochron& isochron = isochrons_[id];
        for (std::size_t i = 0; i < isochron.fates.size(); ++i) {
            if (isochron.fates[i].delivery == nullptr)
                missing_[isochron.issue->parts[i].destination].push_back(static_cast<IsochronId>(id));
        }
    }
}

std::string name(const Isochron& isochron) {
    return "isochron " + std::to_string(isochron.issue->number) + " of " + host_name(isochron.issuer);
}

std::string host_name(std::size_t host) {
    return "host " + std::to_string(host);
}

std::string to_string(const LogicalTime& time) {
    const std::string pulse = "pulse " + std::to_string(time.pulse);
    if (time.place == Place::kEnd) return "the end of " + pulse;
    const std::string who = " (" + host_name(time.host) + ", rank " + std::to_string(time.rank) + ")";
    return (time.place == Place::kAfter ? "the time after " : "") + pulse + who;
}

}  // namespace isoplane::sim
