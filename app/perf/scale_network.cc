// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "scale_network.hh"

#include <algorithm>
#include <array>
#include <cstring>
#include <isoplane/topology/mac.hh>
#include <stdexcept>

namespace isoplane::perf {

namespace {

using namespace std::chrono_literals;
using runtime::Time;

constexpr std::size_t kSize = 64;  ///< bytes of a message
constexpr runtime::Duration kPatience = 5s;
constexpr runtime::Duration kSettling = 200us;

/// No lcore stalls: what is told is what hosts cost, not what disturbs them.
constexpr sim::Pace kPace{.gap = runtime::Duration{100}, .stall = 0, .idle = 1us};

std::shared_ptr<const node::Ways> around_one_switch(unsigned hosts) {
    topology::SwitchSpec spec{.number = 1, .ports = {}, .at = {}};
    for (unsigned host = 0; host < hosts; ++host)
        spec.ports.push_back({topology::PortKind::kHost, "host" + std::to_string(host), 0, {}});
    return std::make_shared<const node::Ways>(topology::Topology({&spec, 1}, "scale"));
}

using Message = std::array<std::byte, kSize>;

Message stamped(Time now) {
    Message message{};
    const auto time = now.time_since_epoch().count();
    std::memcpy(message.data(), &time, sizeof time);
    return message;
}

void record(runtime::Histogram& histogram, std::span<const std::byte> data, Time now) {
    Time::rep sent = 0;
    if (data.size() < sizeof sent) return;
    std::memcpy(&sent, data.data(), sizeof sent);
    histogram.record(
        static_cast<std::uint64_t>(std::max<Time::rep>(0, now.time_since_epoch().count() - sent)));
}

}  // namespace

ScaleHost::ScaleHost(const std::string& name, const sim::Link::End& end, runtime::Pool& pool,
                     const niu::Options& options, const siu::SiuOptions& siu, const topology::Paths& paths,
                     const ScaleSetup& setup, ScaleTimes& times)
    : Stage(name),
      niu_(name, end.input, end.output, pool, options),
      dispatcher_(niu_),
      siu_(niu_, paths, siu),
      isotach_(niu_, siu_, pool),
      random_(setup.seed, 100 + options.node),
      hosts_(setup.hosts),
      every_(setup.every),
      times_(times) {
    takes_from(end.input);
    gives_to(end.output);
    isotach_.attach_to(dispatcher_);
    dispatcher_.attach(wire::Protocol::kNoniso, this);
}

unsigned ScaleHost::poll(Time now) {
    now_ = now;
    unsigned moved = niu_.poll(now);
    moved += dispatcher_.dispatch();
    moved += isotach_.poll(now);
    for (isotach::Delivery delivery; isotach_.receive(delivery); ++moved) {
        record(times_.ordered, delivery.data, now);
        isotach_.release(delivery);
    }
    if (now < until_ && send_some(now)) ++moved;
    return moved;
}

bool ScaleHost::send_some(Time now) {
    bool sent = false;
    for (Time& next : next_)
        if (next == Time{}) next = later(now);
    if (now >= next_[0] && isotach_.send(somebody_else(), stamped(now))) {
        next_[0] = later(now);
        sent = true;
    }
    if (now >= next_[1] && niu_.transfer(somebody_else(), wire::Protocol::kNoniso, stamped(now))) {
        next_[1] = later(now);
        sent = true;
    }
    return sent;
}

void ScaleHost::take(const niu::Received& message) noexcept {
    record(times_.unordered, message.data, now_);
    niu_.release(message);
}

niu::NodeId ScaleHost::somebody_else() {
    return static_cast<niu::NodeId>((niu_.options().node + 1 + random_.below(hosts_ - 1)) % hosts_);
}

/// Evenly between half of and one and a half times what it is on average.
Time ScaleHost::later(Time than) {
    const auto every = static_cast<std::uint64_t>(every_.count());
    return than +
           runtime::Duration{static_cast<runtime::Duration::rep>(every / 2 + random_.below(every + 1))};
}

void ScaleHost::set_quiet(bool quiet) {
    niu_.set_quiet(quiet);
    siu_.be_quiet(quiet);
}

ScaleNetwork::ScaleNetwork(const ScaleSetup& setup, runtime::Pool& pool)
    : setup_(setup),
      ways_(around_one_switch(setup.hosts)),
      world_(setup.seed, pool, kPace),
      to_manager_("to_manager"),
      from_manager_("from_manager") {
    std::vector<sim::Link::End> ends;
    std::vector<fabric::Port> ports;
    for (unsigned host = 0; host < setup.hosts; ++host) {
        sim::Link& link = world_.connect("host" + std::to_string(host), {.latency = setup.latency});
        ends.push_back(link.a());
        ports.push_back({link.b().input, link.b().output});
    }
    ports.push_back({from_manager_.input(), to_manager_.output()});
    fabric_ = std::make_unique<fabric::Switch>(
        "fabric", ports, pool,
        fabric::SwitchOptions{
            .seed = setup.seed, .capacity = 1024, .addresses = std::max(64U, 2 * setup.hosts)});

    niu::Options niu{.job_key = 1, .linger = 1ms};
    niu.nodes.resize(ways_->topology.node_count());  // the token manager has no name: it has no NIU
    for (unsigned host = 0; host < setup.hosts; ++host)
        niu.nodes[host] = "host" + std::to_string(host);
    siu::SiuOptions siu;
    siu.exchange.ahead = setup.ahead;
    for (unsigned node = 0; node <= setup.hosts; ++node) {
        niu.node = static_cast<niu::NodeId>(node);
        niu.mac = topology::default_mac(niu.node);
        if (node < setup.hosts)
            hosts_.push_back(std::make_unique<ScaleHost>(niu.nodes[node], ends[node], pool, niu, siu,
                                                         ways_->paths, setup_, times_));
        else
            manager_ =
                std::make_unique<node::ManagerStage>("tm", to_manager_.input(), from_manager_.output(), pool,
                                                     ways_, niu, node::TimeOptions{.ahead = setup.ahead});
    }
    world_.add(*fabric_, *manager_);
    for (const auto& host : hosts_)
        world_.add(*host);
}

ScaleNetwork::~ScaleNetwork() {
    world_.drain();
    for (const auto& host : hosts_)
        host->discard();
    manager_->discard();
    fabric_->discard();
}

std::uint64_t ScaleNetwork::frames() const noexcept {
    std::uint64_t sum = 0;
    for (unsigned port = 0; port < fabric_->ports(); ++port)
        sum += fabric_->ingress(port).in.get();
    return sum;
}

std::uint64_t ScaleNetwork::tokens() const noexcept {
    std::uint64_t sum = manager_->manager().counters().frames.get();
    for (const auto& host : hosts_)
        sum += host->siu().counters().frames.get();
    return sum;
}

ScaleFigures ScaleNetwork::run() {
    const auto all_ready = [this] {
        return std::ranges::all_of(hosts_, [](const auto& host) { return host->ready(); });
    };
    if (!world_.run_until(all_ready, kPatience))
        throw std::runtime_error(std::to_string(setup_.hosts) + " simulated hosts do not find each other");
    for (const auto& host : hosts_)
        host->send_until(world_.now() + kSettling + setup_.duration);
    world_.run_for(kSettling);
    times_.ordered.clear();
    times_.unordered.clear();
    const std::uint64_t frames_before = frames();
    const std::uint64_t tokens_before = tokens();
    const siu::Pulse pulse = hosts_[0]->siu().clock();
    world_.run_for(setup_.duration);

    const double seconds = std::chrono::duration<double>(setup_.duration).count();
    const auto sent = static_cast<double>(frames() - frames_before);
    const auto us = [](const runtime::Histogram& of, double fraction) {
        return static_cast<double>(of.quantile(fraction)) / 1e3;
    };
    return {.ordered_us = us(times_.ordered, 0.5),
            .unordered_us = us(times_.unordered, 0.5),
            .ordered_p99_us = us(times_.ordered, 0.99),
            .pulses_per_second = static_cast<double>(hosts_[0]->siu().clock() - pulse) / seconds,
            .token_share = sent > 0 ? static_cast<double>(tokens() - tokens_before) / sent : 0,
            .frames_per_host = sent / seconds / setup_.hosts};
}

}  // namespace isoplane::perf
