// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "shared_port.hh"

#include <isoplane/runtime/telemetry_client.hh>
#include <nlohmann/json.hpp>
#include <utility>

namespace isoplane::node {

SharedPort::SharedPort(Node& node, std::string socket, unsigned mtu)
    : node_(node), socket_(std::move(socket)), mtu_(mtu) {
    using Json = nlohmann::json;
    node.views().add("clients", [this] { return desk_ ? desk_->clients() : Json::array(); });
    node.views().add("portals", [this] { return desk_ ? portals() : Json::array(); });
    node.views().add("registrations", [this] { return desk_ ? desk_->totals() : Json::object(); });
}

/// What Portals a client speaks happens in its own process.
nlohmann::json SharedPort::portals() const {
    nlohmann::json all = nlohmann::json::array();
    for (const share::Desk::Client& client : desk_->whom_to_ask()) {
        nlohmann::json report = nlohmann::json::object();
        const auto ask = [&client](const char* command) {
            return runtime::ask_telemetry(client.telemetry, client.pid, command);
        };
        if (nlohmann::json answer = ask("/isoplane/portals"); answer.is_object())
            report = std::move(answer);
        else if (ask("/isoplane/niu").is_object())
            continue;  // it has no Portals
        else
            report["silent"] = "it polls for itself, and cannot be asked";
        // Who a client is does not depend on what it says.
        report["name"] = std::to_string(client.pid);
        report["program"] = client.program;
        report["node"] = client.node;
        all.push_back(std::move(report));
    }
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
}

bool SharedPort::close_if_deserted() {
    return desk_ && desk_->close_if_deserted();
}

}  // namespace isoplane::node
