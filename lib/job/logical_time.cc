// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "logical_time.hh"

#include <isoplane/tm/report.hh>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace isoplane::job {

LogicalTime::LogicalTime(const topology::Topology& topology, niu::Niu& niu, niu::Dispatcher& dispatcher,
                         runtime::Pool& pool, const siu::SiuOptions& options, const isotach::Options& isotach,
                         const std::string& beside)
    : paths_(topology), siu_(niu, paths_, options), isotach_(niu, siu_, pool, isotach) {
    isotach_.attach_to(dispatcher);
    if (beside.empty()) return;
    const auto node = topology.find(beside);
    if (!node || topology.is_host(*node))
        throw std::invalid_argument("'" + beside +
                                    "' is no token manager of the network; that of switch N is tm@N, unless "
                                    "the topology names it");
    tm::ExchangeOptions exchange = options.exchange;
    exchange.epoch = niu.options().epoch;
    manager_ = std::make_unique<tm::TokenManager>(beside, niu, paths_, *node, std::move(exchange));
    if (paths_.topology().token_neighbours(niu.options().node).front() == *node)
        siu_.set_beside(manager_.get());
}

std::string LogicalTime::manager_name() const {
    return paths_.topology().name(siu_.options().neighbours.front());
}

std::string LogicalTime::trouble(runtime::Duration limit) const {
    if (siu_.broken())
        return "the token manager " + manager_name() +
               " has started again: logical time goes on without this host; start it again";
    if (const isotach::Paranoid* paranoid = isotach_.paranoid(); paranoid && paranoid->violations() != 0)
        return "logical time is violated (paranoid): " + paranoid->first();
    if (isotach_.standing() < limit) return {};
    if (!siu_.started())
        return "the token manager " + manager_name() +
               " has not answered; see that it runs, with the same job key, and that all hosts of its switch "
               "do";
    return "logical time stands still at pulse " + std::to_string(isotach_.ordering().executed()) + ": " +
           (isotach_.ordering().behind() != 0 ? "a host has not sent what it has announced"
                                              : "no token from " + manager_name() +
                                                    ", which waits for a host or token manager that is lost");
}

void LogicalTime::describe(nlohmann::json& out) const {
    isotach_.describe(out["isotach"]);
    tm::describe_exchange(siu_, paths_.topology(), out["siu"]);
    if (manager_) manager_->describe(out["token_manager"]);
}

}  // namespace isoplane::job
