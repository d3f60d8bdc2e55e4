// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "scale_network.hh"

#include <algorithm>
#include <array>
#include <cstring>
#include <isoplane/topology/mac.hh>
#include <map>
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

topology::PortSpec host(unsigned number) {
    return {topology::PortKind::kHost, "host" + std::to_string(number), 0, {}};
}

topology::PortSpec link_to(std::size_t number) {
    return {topology::PortKind::kLink, {}, static_cast<std::uint32_t>(number), {}};
}

/// The top, then those in the middle, then those with hosts; each has as many below it, or less.
std::vector<topology::SwitchSpec> three_levels(unsigned hosts) {
    unsigned width = 1;
    while (width * width * width < hosts)
        ++width;
    const unsigned low = (hosts + width - 1) / width;
    const unsigned middle = (low + width - 1) / width;
    std::vector<topology::SwitchSpec> switches(1 + middle + low);
    for (std::size_t i = 0; i < switches.size(); ++i)
        switches[i].number = static_cast<std::uint32_t>(i);
    const auto join = [&switches](std::size_t above, std::size_t below) {
        switches[above].ports.push_back(link_to(below));
        switches[below].ports.push_back(link_to(above));
    };
    for (unsigned i = 0; i < middle; ++i)
        join(0, 1 + i);
    for (unsigned i = 0; i < low; ++i)
        join(1 + i / width, 1 + middle + i);
    for (unsigned i = 0; i < hosts; ++i)
        switches[1 + middle + i / width].ports.push_back(host(i));
    return switches;
}

std::shared_ptr<const node::Ways> ways_of(const ScaleSetup& setup) {
    std::vector<topology::SwitchSpec> switches(1);
    if (setup.tree) {
        switches = three_levels(setup.hosts);
    } else {
        for (unsigned i = 0; i < setup.hosts; ++i)
            switches[0].ports.push_back(host(i));
    }
    return std::make_shared<const node::Ways>(topology::Topology(switches, "scale"));
}

/// Those that a host talks to, and itself, are as far from each other as they can be.
bool are_partners(const ScaleSetup& setup, unsigned a, unsigned b) {
    if (setup.partners == 0 || setup.partners >= setup.hosts) return true;
    const unsigned groups = setup.hosts / (setup.partners + 1);
    return groups == 0 || a % groups == b % groups;
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
      every_(setup.every),
      times_(times) {
    takes_from(end.input);
    gives_to(end.output);
    isotach_.attach_to(dispatcher_);
    dispatcher_.attach(wire::Protocol::kNoniso, this);
    for (unsigned other = 0; other < setup.hosts; ++other)
        if (other != options.node && !options.nodes[other].empty())
            partners_.push_back(static_cast<niu::NodeId>(other));
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
    return partners_[random_.below(partners_.size())];
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
    : setup_(setup), ways_(ways_of(setup)), world_(setup.seed, pool, kPace) {
    const topology::Topology& topology = ways_->topology;
    niu::Options niu{.job_key = 1, .window = 16, .hello_every = 200us, .linger = 1ms};
    niu.nodes.resize(topology.node_count());  // token managers have no names: they have no NIU to talk to
    std::vector<sim::Link*> host_links(setup.hosts);
    std::map<std::pair<topology::SwitchId, topology::SwitchId>, sim::Link*> between;
    for (topology::SwitchId at = 0; at < topology.switch_count(); ++at) {
        std::vector<fabric::Port> ports;
        for (const topology::Port& port : topology.switches()[at].ports) {
            if (port.kind == topology::PortKind::kHost) {
                sim::Link& link = world_.connect(topology.name(port.node), {.latency = setup.latency});
                host_links[port.node] = &link;
                ports.push_back({link.b().input, link.b().output});
            } else if (port.kind == topology::PortKind::kLink) {
                sim::Link*& link = between[std::minmax(at, port.peer)];
                const bool is_first = link == nullptr;
                if (is_first)
                    link = &world_.connect(std::to_string(at) + "-" + std::to_string(port.peer),
                                           {.latency = setup.latency});
                const sim::Link::End end = is_first ? link->a() : link->b();
                ports.push_back({end.input, end.output});
            }
        }
        niu.node = topology.token_manager(at);
        add_hub(at, std::move(ports), niu, pool);
    }
    siu::SiuOptions siu;
    siu.exchange.ahead = setup.ahead;
    for (unsigned node = 0; node < setup.hosts; ++node) {
        niu.node = static_cast<niu::NodeId>(node);
        niu.mac = topology::default_mac(niu.node);
        for (unsigned other = 0; other < setup.hosts; ++other)
            niu.nodes[other] = are_partners(setup, node, other) ? "host" + std::to_string(other) : "";
        hosts_.push_back(std::make_unique<ScaleHost>("host" + std::to_string(node), host_links[node]->a(),
                                                     pool, niu, siu, ways_->paths, setup_, times_));
        world_.add(*hosts_.back());
    }
}

void ScaleNetwork::add_hub(topology::SwitchId at, std::vector<fabric::Port> ports, niu::Options options,
                           runtime::Pool& pool) {
    const std::string number = std::to_string(at);
    Hub& hub = *hubs_.emplace_back(std::make_unique<Hub>(number));
    ports.push_back({hub.from_manager.input(), hub.to_manager.output()});
    hub.fabric = std::make_unique<fabric::Switch>(
        "fabric" + number, ports, pool,
        fabric::SwitchOptions{
            .seed = setup_.seed + at, .capacity = 1024, .addresses = std::max(64U, 2 * setup_.hosts)});
    options.mac = topology::default_mac(options.node);
    hub.manager =
        std::make_unique<node::ManagerStage>("tm" + number, hub.to_manager.input(), hub.from_manager.output(),
                                             pool, ways_, options, node::TimeOptions{.ahead = setup_.ahead});
    world_.add(*hub.fabric, *hub.manager);
}

ScaleNetwork::~ScaleNetwork() {
    world_.drain();
    for (const auto& host : hosts_)
        host->discard();
    for (const auto& hub : hubs_) {
        hub->manager->discard();
        hub->fabric->discard();
    }
}

/// Those that hosts and token managers have sent.
std::uint64_t ScaleNetwork::frames() const noexcept {
    std::uint64_t sum = 0;
    for (topology::SwitchId at = 0; at < hubs_.size(); ++at) {
        const fabric::Switch& fabric = *hubs_[at]->fabric;
        const auto ports = ways_->topology.switches()[at].ports;
        for (unsigned port = 0; port < fabric.ports(); ++port)
            if (port >= ports.size() || ports[port].kind != topology::PortKind::kLink)
                sum += fabric.ingress(port).in.get();
    }
    return sum;
}

std::uint64_t ScaleNetwork::tokens() const noexcept {
    std::uint64_t sum = 0;
    for (const auto& hub : hubs_)
        sum += hub->manager->manager().counters().frames.get();
    for (const auto& host : hosts_)
        sum += host->siu().counters().frames.get();
    return sum;
}

bool ScaleNetwork::all_ready() const {
    return std::ranges::all_of(hosts_, [](const auto& host) { return host->ready(); });
}

ScaleFigures ScaleNetwork::run() {
    const Time limit = world_.now() + kPatience;
    while (!all_ready()) {
        if (world_.now() >= limit)
            throw std::runtime_error(std::to_string(setup_.hosts) +
                                     " simulated hosts do not find each other");
        world_.run_for(kSettling);
    }
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
