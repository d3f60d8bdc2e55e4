// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "time_host.hh"

#include <algorithm>
#include <isoplane/link/kind.hh>
#include <isoplane/niu/epoch.hh>
#include <nlohmann/json.hpp>
#include <utility>

#include "time_watch.hh"

namespace isoplane::node {

using Json = nlohmann::json;

TimeHost::TimeHost(Node& node, const topology::Network& network, const link::Link& link, const Ends& ends)
    : node_(node), ways_(std::make_shared<const Ways>(*network.topology)), here_(*network.conf.id) {
    const topology::NodeConf& conf = network.conf;
    const link::LinkKind& kind = *link::find_kind(link.spec().kind);
    const TimeOptions time = time_options(conf);
    niu::Options options{.node = here_,
                         .nodes = niu::names_of_hosts(ways_->topology),
                         .job_key = conf.job_key.value_or(0),
                         .epoch = niu::epoch_now(),
                         .mac = network.mac(here_),
                         .udp = network.udp(here_),
                         .mtu = static_cast<std::uint16_t>(std::min(ends.mtu, link.mtu() - ends.trailer)),
                         .chains = kind.multi_segment && ends.trailer == 0,
                         .in_process = kind.in_process};
    if (time.survive) options.silence = std::max(options.silence, membership::silence_for(*time.survive));
    stage_ = &node_.engine().add(
        std::make_unique<HostStage>("host0", ends.from, ends.to, node_.pool(), ways_, options, time));
    node_.views().add("tokens", [this] { return tokens(); });
    node_.views().add("pulse", [this] { return pulse(); });
    node_.views().add("buckets", [this] { return buckets(); });
    watch(node_, *stage_, ways_->topology.name(here_));
}

nlohmann::json TimeHost::named() const {
    return {{"name", stage_->name()}, {"host", ways_->topology.name(here_)}, {"node", here_}};
}

nlohmann::json TimeHost::tokens() const {
    Json report = named();
    Json& neighbours = report["neighbours"] = Json::array();
    for (const topology::NodeId node : ways_->topology.token_neighbours(here_))
        neighbours.push_back(ways_->topology.name(node));
    node_.engine().call(*stage_, [&] {
        stage_->describe_tokens(report);
        if (stage_->agreement() != nullptr) stage_->agreement()->describe(report["membership"]);
    });
    return Json::array({report});
}

nlohmann::json TimeHost::pulse() {
    const std::lock_guard lock(shown_);
    std::uint64_t clock = 0;
    std::uint64_t complete = 0;
    std::uint64_t executed = 0;
    node_.engine().call(*stage_, [&] {
        clock = stage_->siu().clock();
        complete = stage_->siu().complete();
        executed = stage_->isotach().ordering().executed();
    });
    const Clock::time_point now = Clock::now();
    const std::chrono::duration<double> since = now - std::exchange(shown_at_, now);
    const std::uint64_t passed = executed - std::exchange(executed_, executed);
    Json report = named();
    report["token_sent"] = clock;
    report["token_complete"] = complete;
    report["executed_pulse"] = executed;
    report["per_second"] = static_cast<double>(passed) / std::max(since.count(), 1e-9);
    return Json::array({report});
}

nlohmann::json TimeHost::buckets() const {
    Json report = named();
    node_.engine().call(*stage_, [&] {
        const isotach::Isotach& isotach = stage_->isotach();
        report["executed_pulse"] = isotach.ordering().executed();
        report["outstanding"] = isotach.outstanding();
        report["hit_queue"] = isotach.ordering().hit_queue();
        report["waiting"] = isotach.ordering().waiting();
        report["behind"] = isotach.ordering().behind();
        isotach.describe_buckets(report["buckets"]);
    });
    return Json::array({report});
}

}  // namespace isoplane::node
