// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "shared_port.hh"

#include <future>
#include <isoplane/runtime/telemetry_client.hh>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace isoplane::node {

SharedPort::SharedPort(Node& node, std::string socket, unsigned mtu)
    : node_(node), socket_(std::move(socket)), mtu_(mtu) {
    using Json = nlohmann::json;
    const auto add = [&](const char* name, Json (*report)(const share::Desk&), const Json& none) {
        node.views().add(name, [this, report, none] {
            const share::Desk* const desk = open_.load(std::memory_order_acquire);
            return desk != nullptr ? report(*desk) : none;
        });
    };
    add(
        "clients", [](const share::Desk& desk) { return desk.clients(); }, Json::array());
    add("portals", portals, Json::array());
    add(
        "registrations", [](const share::Desk& desk) { return desk.totals(); }, Json::object());
}

namespace {

/// What Portals a client speaks happens in its own process. Null when it has none.
nlohmann::json portals_of(const share::Desk::Client& client) {
    nlohmann::json report = nlohmann::json::object();
    const auto ask = [&client](const char* command) {
        return runtime::ask_telemetry(client.telemetry, client.pid, command);
    };
    if (client.pid == 0)
        report["silent"] = "its process cannot be seen from here, and is not asked";
    else if (nlohmann::json answer = ask("/isoplane/portals"); answer.is_object())
        report = std::move(answer);
    else if (ask("/isoplane/niu").is_object())
        return {};
    else
        report["silent"] = "it polls for itself, and cannot be asked";
    // Who a client is does not depend on what it says.
    report["name"] = client.name;
    report["program"] = client.program;
    report["node"] = client.node;
    return report;
}

}  // namespace

/// All are asked at once: many who do not answer take no longer than one.
nlohmann::json SharedPort::portals(const share::Desk& desk) {
    std::vector<std::future<nlohmann::json>> answers;
    for (share::Desk::Client& client : desk.whom_to_ask())
        answers.push_back(std::async(portals_of, std::move(client)));
    nlohmann::json all = nlohmann::json::array();
    for (std::future<nlohmann::json>& answer : answers)
        if (nlohmann::json report = answer.get(); !report.is_null()) all.push_back(std::move(report));
    return all;
}

void SharedPort::add(runtime::Input* from, runtime::Output* to) {
    exchange_ = &node_.engine().add(std::make_unique<share::Exchange>(
        "shared", from, to, node_.pool(), mtu_ + static_cast<unsigned>(wire::kEthernetSize)));
}

fabric::Port SharedPort::add_beside_fabric() {
    runtime::Ring& up = node_.engine().add_ring("shared.out");
    runtime::Ring& down = node_.engine().add_ring("shared.in");
    add(&down.input(), &up.output());
    return {up.input(), down.output()};
}

void SharedPort::open() {
    desk_ = std::make_unique<share::Desk>(
        socket_, *exchange_,
        [this](const std::function<void()>& what) { node_.engine().call(*exchange_, what); }, mtu_);
    open_.store(desk_.get(), std::memory_order_release);
}

bool SharedPort::close_if_deserted() {
    return desk_ && desk_->close_if_deserted();
}

}  // namespace isoplane::node
