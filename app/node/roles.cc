// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "roles.hh"

#include <algorithm>
#include <charconv>
#include <isoplane/fabric/switch.hh>
#include <isoplane/topology/mac.hh>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "gates.hh"
#include "shared_port.hh"
#include "time_host.hh"
#include "token_managers.hh"
#include "traffic/echo.hh"
#include "traffic/forward.hh"

namespace isoplane::node {

namespace {

constexpr std::string_view kRoles[] = {"echo",   "forward", "generate", "sink",
                                       "fabric", "tm",      "host",     "shared"};

void check_names(const std::vector<std::string>& roles) {
    for (const std::string& role : roles) {
        if (std::find(std::begin(kRoles), std::end(kRoles), role) == std::end(kRoles)) {
            throw std::invalid_argument(
                "there is no role '" + role +
                "'; a node can be echo, forward, generate, sink, fabric, tm, host or shared");
        }
    }
    if (roles.empty()) {
        throw std::invalid_argument(
            "no role given: --role echo, forward, generate, sink, fabric, tm, host or shared");
    }
}

/// A link's packets have one receiver. A token manager or clients beside a fabric have a port inside it.
void check_receivers(const std::vector<std::string>& roles) {
    const bool has_fabric = std::find(roles.begin(), roles.end(), "fabric") != roles.end();
    std::string receivers;
    unsigned n = 0;
    for (const std::string& role : roles) {
        if (role == "generate" || ((role == "tm" || role == "shared") && has_fabric)) continue;
        receivers += (n++ == 0 ? "" : " and ") + role;
    }
    const bool generates = std::find(roles.begin(), roles.end(), "generate") != roles.end();
    const bool alone = n == 1 && generates && receivers != "sink";
    if (n > 1) {
        throw std::invalid_argument("the roles " + receivers +
                                    " would each receive what arrives on the links; "
                                    "give them to nodes of their own");
    }
    if (alone) {
        throw std::invalid_argument(
            "a node that is " + receivers +
            " has its links to itself; generate needs a node of its own, or sink beside it");
    }
}

}  // namespace

Roles::Roles(Node& node, const RoleOptions& options, const runtime::Placement& placement)
    : node_(node), options_(options), placement_(placement) {
    check_names(options_.roles);
    check_receivers(options_.roles);
    check_options();
    if (options_.key) gates_ = std::make_unique<Gates>(node_, *options_.key, options_.network);
    if (node_.links().empty() && !has("shared")) {
        throw std::invalid_argument(
            "no link given: --link SPEC; `isoplane doctor` lists the kinds there are");
    }
    if (has("fabric")) {
        add_fabric();
    } else if (has("tm")) {
        add_manager();
    } else if (has("host")) {
        add_time_host();
    } else if (has("shared")) {
        add_shared();
    } else if (has("forward")) {
        add_forward();
    } else {
        for (std::size_t i = 0; i < node_.links().size(); ++i)
            add_host(i);
    }
}

Roles::~Roles() = default;

/// What no role of this node heeds would be passed over in silence.
void Roles::check_options() const {
    const auto belongs = [this](bool given, const char* option, const char* role) {
        if (given && !has(role))
            throw std::invalid_argument("--" + std::string(option) + " is for the role " + role +
                                        ", which this node does not have");
    };
    belongs(options_.count != 0, "count", "generate");
    belongs(options_.expect != 0, "expect", "sink");
    belongs(options_.prime != 0, "tx-first", "forward");
    belongs(!options_.clients.empty(), "clients", "shared");
    belongs(options_.until_left, "until-left", "shared");
    if (has("shared") && options_.clients.empty())
        throw std::invalid_argument("the role shared needs a path where clients register: --clients SOCKET");
    if (options_.window != 0 && !(has("generate") && has("sink"))) {
        throw std::invalid_argument(
            "--window counts the frames that come back: it needs the roles generate and sink in one node");
    }
}

bool Roles::has(std::string_view role) const {
    return std::find(options_.roles.begin(), options_.roles.end(), role) != options_.roles.end();
}

/// The receiving end of a link: its queue itself, or a ring when a stage of its own reads the queue.
runtime::Input& Roles::rx(std::size_t link) {
    const std::string name = "rx" + std::to_string(link);
    runtime::Input& port = node_.links()[link]->input();
    if (placement_.find(name) == 0) return port;
    runtime::Ring& ring = node_.engine().add_ring(name);
    node_.engine().add(std::make_unique<traffic::Forward>(name, port, ring.output()));
    return ring.input();
}

runtime::Output& Roles::tx(std::size_t link) {
    const std::string name = "tx" + std::to_string(link);
    runtime::Output& port = node_.links()[link]->output();
    if (placement_.find(name) == 0) return port;
    runtime::Ring& ring = node_.engine().add_ring(name);
    node_.engine().add(std::make_unique<traffic::Forward>(name, ring.input(), port));
    return ring.output();
}

void Roles::add_fabric() {
    std::vector<fabric::Port> ports;
    for (std::size_t i = 0; i < node_.links().size(); ++i)
        ports.push_back({rx(i), tx(i)});
    if (has("tm")) {
        managers_ = std::make_unique<TokenManagers>(node_, options_.network, gates_.get());
        for (const topology::NodeId manager : options_.managers)
            ports.push_back(managers_->add_beside_fabric(manager, options_.mtu));
    }
    if (has("shared")) {
        shared_ = std::make_unique<SharedPort>(node_, options_.clients, options_.mtu);
        ports.push_back(shared_->add_beside_fabric());
    }
    switch_ = &node_.engine().add(std::make_unique<fabric::Switch>(
        "fabric", ports, node_.pool(), fabric::SwitchOptions{.seed = options_.seed}));
    for (unsigned port = 0; port < node_.links().size(); ++port)
        switch_->set(port, options_.impairment);
    node_.views().add("fabric", [this] {
        nlohmann::json report = nlohmann::json::object();
        node_.engine().call(*switch_, [&] { switch_->describe(report); });
        return report;
    });
}

void Roles::add_manager() {
    const std::size_t links = node_.links().size();
    if (links != 1) {
        throw std::invalid_argument("a token manager is at one port of its switch, and " +
                                    std::to_string(links) + " links are given; leave one --link");
    }
    managers_ = std::make_unique<TokenManagers>(node_, options_.network, gates_.get());
    managers_->add(options_.managers.front(), rx(0), tx(0),
                   std::min(options_.mtu, node_.links().front()->mtu()));
}

void Roles::add_time_host() {
    const std::size_t links = node_.links().size();
    if (links != 1) {
        throw std::invalid_argument("a host is at one port of its switch, and " + std::to_string(links) +
                                    " links are given; leave one --link");
    }
    const Ends ends = through(gates_.get(), *options_.network.conf.id, {rx(0), tx(0), options_.mtu});
    host_ = std::make_unique<TimeHost>(node_, options_.network, *node_.links().front(), ends);
}

void Roles::add_shared() {
    const std::size_t links = node_.links().size();
    if (links > 1) {
        throw std::invalid_argument("clients share one port, and " + std::to_string(links) +
                                    " links are given; leave one --link, or add --role fabric");
    }
    shared_ = std::make_unique<SharedPort>(
        node_, options_.clients, links == 0 ? options_.mtu : std::min(options_.mtu, node_.links()[0]->mtu()));
    shared_->add(links == 0 ? nullptr : &rx(0), links == 0 ? nullptr : &tx(0));
}

void Roles::open() {
    if (shared_) shared_->open();
}

void Roles::add_forward() {
    const std::size_t links = node_.links().size();
    if (links % 2 != 0) {
        throw std::invalid_argument("forward joins links in pairs, and " + std::to_string(links) +
                                    " is odd; give it another --link");
    }
    for (std::size_t i = 0; i < links; ++i) {
        auto forward = std::make_unique<traffic::Forward>("forward" + std::to_string(i), rx(i), tx(i ^ 1));
        forward->prime(node_.pool(), options_.prime, options_.size);
        node_.engine().add(std::move(forward));
    }
}

void Roles::add_host(std::size_t link) {
    const std::string number = std::to_string(link);
    if (has("echo")) {
        node_.engine().add(std::make_unique<traffic::Echo>("echo" + number, rx(link), tx(link)));
    }
    if (has("generate")) {
        const auto own = static_cast<std::uint8_t>(link);
        // A configured address is that of a node's first link.
        const auto mac_of = [&](std::uint16_t node, std::uint8_t on) {
            return on == 0 ? options_.network.mac(node) : topology::default_mac(node, on);
        };
        const traffic::GenerateOptions options{.size = options_.size,
                                               .count = options_.count,
                                               .rate = options_.rate,
                                               .job_key = options_.job_key,
                                               .source = options_.id,
                                               .destination = options_.to,
                                               .source_mac = mac_of(options_.id, own),
                                               .destination_mac = mac_of(options_.to, own)};
        generators_.push_back(&node_.engine().add(
            std::make_unique<traffic::Generate>("generate" + number, tx(link), node_.pool(), options)));
    }
    if (has("sink")) {
        const wire::Expect expect{
            .encapsulation = {}, .job_key = options_.job_key, .node = wire::kBroadcast, .node_count = 0xffff};
        sinks_.push_back(
            &node_.engine().add(std::make_unique<traffic::Sink>("sink" + number, rx(link), expect)));
    }
    if (options_.window != 0) generators_.back()->keep_under_way(options_.window, *sinks_.back());
}

bool Roles::finished() const {
    if (options_.until_left && shared_ && shared_->close_if_deserted()) return true;
    return (counts() && unfinished().empty()) || (takes_files() && files_read());
}

bool Roles::ends() const {
    return counts() || takes_files() || options_.until_left;
}

bool Roles::counts() const {
    return (options_.count != 0 && !generators_.empty()) || (options_.expect != 0 && !sinks_.empty());
}

namespace {

bool is_file(const link::Link& link) {
    return link.spec().kind == "pcap" && !link.spec().target.starts_with(',');
}

}  // namespace

/// Who only takes what capture files hold is done with the last of them. A fabric goes on for its other
/// ports.
bool Roles::takes_files() const {
    return !has("fabric") && !has("generate") &&
           std::ranges::any_of(node_.links(), [](const auto& link) { return is_file(*link); });
}

bool Roles::files_read() const {
    return std::ranges::all_of(node_.links(),
                               [](const auto& link) { return !is_file(*link) || link->ended(); });
}

std::string Roles::unfinished() const {
    for (const traffic::Generate* generate : generators_) {
        if (options_.count == 0 || generate->finished()) continue;
        return generate->name() + " has sent " + std::to_string(generate->sent()) + " of " +
               std::to_string(options_.count) + " frames";
    }
    for (const traffic::Sink* sink : sinks_) {
        if (sink->good() >= options_.expect) continue;
        return sink->name() + " has received " + std::to_string(sink->good()) + " of " +
               std::to_string(options_.expect) + " frames (" + std::to_string(sink->duplicates()) +
               " duplicates, " + std::to_string(sink->refused()) + " refused)";
    }
    return {};
}

std::vector<PromptCommand> Roles::commands() {
    using Words = std::vector<std::string>;
    std::vector<PromptCommand> commands;
    if (!generators_.empty()) {
        commands.push_back(
            {"set generate rate <rate>", "send at max, 1000pps, 2Mpps, 1Gbit …", [this](const Words& w) {
                 const traffic::Rate rate = traffic::parse_rate(w.at(3));
                 for (traffic::Generate* g : generators_) {
                     node_.engine().call(*g, [&] { g->set_rate(rate); });
                 }
                 return std::string();
             }});
    }
    if (switch_ != nullptr) {
        commands.push_back(
            {"set fabric port <port> <impairment> <value>",
             "impair what leaves a port: loss, dup, reorder, corrupt, late, delay, jitter, rate, queue, cut",
             [this](const Words& w) { return set_impairment(w.at(3), w.at(4), w.at(5)); }});
    }
    return commands;
}

std::string Roles::set_impairment(const std::string& port, const std::string& key, const std::string& value) {
    unsigned number = 0;
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
    if (error != std::errc{} || end != port.data() + port.size() || number >= switch_->ports()) {
        throw std::invalid_argument("the fabric has no port '" + port + "': its ports are 0 to " +
                                    std::to_string(switch_->ports() - 1));
    }
    fabric::Impairment impairment;
    node_.engine().call(*switch_, [&] { impairment = switch_->impairment(number); });
    fabric::set_key(impairment, key, value);
    node_.engine().call(*switch_, [&] { switch_->set(number, impairment); });
    return {};
}

}  // namespace isoplane::node
