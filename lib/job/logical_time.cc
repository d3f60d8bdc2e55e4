// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "logical_time.hh"

#include <isoplane/tm/report.hh>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace isoplane::job {

topology::NodeId find_manager(const topology::Topology& topology, const std::string& name) {
    const auto node = topology.find(name);
    if (!node || topology.is_host(*node))
        throw std::invalid_argument("'" + name +
                                    "' is no token manager of the network; that of switch N is tm@N, unless "
                                    "the topology names it");
    return *node;
}

LogicalTime::LogicalTime(const topology::Topology& topology, niu::Niu& niu, niu::Dispatcher& dispatcher,
                         runtime::Pool& pool, const siu::SiuOptions& options, const isotach::Options& isotach,
                         const std::string& beside, runtime::Duration limit)
    : paths_(topology), siu_(niu, paths_, options), isotach_(niu, siu_, pool, isotach) {
    isotach_.attach_to(dispatcher);
    const topology::NodeId played = beside.empty() ? wire::kNoNode : find_manager(topology, beside);
    tm::ExchangeOptions exchange = options.exchange;
    exchange.epoch = niu.options().epoch;
    if (exchange.in_views)
        membership_ =
            std::make_unique<membership::Host>(niu, siu_, isotach_, paths_, std::move(exchange),
                                               membership::Options{.limit = limit, .plays = played});
    else if (played != wire::kNoNode && !niu.options().manages)
        manager_ = std::make_unique<tm::TokenManager>(niu, paths_, played, std::move(exchange));
}

/// Whose token the next pulse waits for.
std::string LogicalTime::awaited() const {
    std::string names;
    for (const niu::NodeId node : siu_.awaited())
        names += (names.empty() ? "" : ", ") + paths_.topology().name(node);
    return names;
}

std::string LogicalTime::trouble(runtime::Duration limit) const {
    // Where time survives, it goes on without who differs.
    if (!siu_.survives()) {
        std::string differs = tm::disagreement(siu_, paths_.topology());
        if (differs.empty() && manager_) differs = tm::disagreement(*manager_, paths_.topology());
        if (!differs.empty()) return differs;
    }
    if (siu_.broken() && siu_.manages())
        return "a node that exchanges tokens with this host has started again, and logical time goes on for "
               "nobody; start all programs of the job again";
    if (siu_.broken())
        return "the token manager " + paths_.topology().name(siu_.options().neighbours.front()) +
               " has started again: logical time goes on without this host; start it again";
    if (const isotach::Paranoid* paranoid = isotach_.paranoid(); paranoid && paranoid->violations() != 0)
        return "logical time is violated (paranoid): " + paranoid->first();
    if (membership_) {
        const std::string sentence = membership_->agreement().trouble();
        if (!sentence.empty() || membership_->agreement().view().number != 0) return sentence;
    }
    if (isotach_.standing() < limit) return {};
    if (!siu_.started())
        return "no token has come from " + awaited() +
               "; see that it runs, with the same job key, and that all hosts of its switch do";
    return "logical time stands still at pulse " + std::to_string(isotach_.ordering().executed()) + ": " +
           (isotach_.ordering().behind() != 0
                ? "a host has not sent what it has announced"
                : "no token from " + awaited() + ", which is lost or waits for somebody who is");
}

void LogicalTime::describe(nlohmann::json& out) const {
    isotach_.describe(out["isotach"]);
    tm::describe_exchange(siu_, paths_.topology(), out["siu"]);
    if (manager_) manager_->describe(out["token_manager"]);
    if (membership_) membership_->agreement().describe(out["membership"]);
}

}  // namespace isoplane::job
