// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "options.hh"

#include <algorithm>
#include <boost/program_options.hpp>
#include <isoplane/runtime/pool.hh>
#include <isoplane/topology/network.hh>
#include <isoplane/topology/node_options.hh>
#include <set>
#include <sstream>
#include <stdexcept>

#include "../command.hh"
#include "../options.hh"
#include "manager_choice.hh"

namespace isoplane::node {

namespace {

namespace po = boost::program_options;

constexpr unsigned kMaxWorkers = 64;

/// What only `isoplane node` has; node.conf may say it too.
po::options_description own_options() {
    po::options_description own("Traffic");
    own.add_options()  //
        ("size", po::value<app::Whole<unsigned>>()->value_name("BYTES"),
         "generate: bytes of a frame without FCS (64)")  //
        ("rate", po::value<std::string>()->value_name("RATE"),
         "generate: max, 1000pps, 2Mpps, 1Gbit (max)")  //
        ("window", po::value<app::Whole<unsigned>>()->value_name("N"),
         "generate: at most N frames under way to a sink in the same node")  //
        ("count", po::value<app::Whole<std::uint64_t>>()->value_name("N"),
         "generate: frames to send; then the node ends")  //
        ("expect", po::value<app::Whole<std::uint64_t>>()->value_name("N"),
         "sink: good frames to receive; then the node ends")  //
        ("to", po::value<app::Whole<unsigned>>()->value_name("ID"),
         "generate: the node to send to (1, or 0 from node 1)")  //
        ("tx-first", po::value<app::Whole<unsigned>>()->value_name("N"),
         "forward: begin with N bursts of own packets")  //
        ("clients", po::value<std::string>()->value_name("SOCKET"),
         "shared: where clients register")                                               //
        ("until-left", po::bool_switch(), "shared: end when the last of them has left")  //
        ("fabric", po::value<std::string>()->value_name("LIST"),
         "fabric: impairments of every port, as in loss=0.01,delay=5us")  //
        ("seed", po::value<app::Whole<std::uint64_t>>()->value_name("N"),
         "fabric: what its dice begin with (1)");
    po::options_description run("Running");
    run.add_options()  //
        ("workers", po::value<app::Whole<unsigned>>()->value_name("N"),
         "worker lcores (one less than there are CPUs)")  //
        ("cpus", po::value<std::string>()->value_name("LIST"),
         "a CPU for each worker, as in 2,3; else they float")  //
        ("idle", po::value<std::string>()->value_name("POLICY"),
         "spin, yield or doze (yield; spin with --cpus)")                                                   //
        ("memory", po::value<app::Whole<unsigned>>()->value_name("MB"), "memory for packets (512)")         //
        ("packets", po::value<app::Whole<unsigned>>()->value_name("N"), "packets in the pool (16383)")      //
        ("mtu", po::value<app::Whole<unsigned>>()->value_name("BYTES"), "largest Ethernet payload (1500)")  //
        ("hugepages", po::value<std::string>()->value_name("WHEN"),
         "auto, on or off (auto: when enough are free)")                                                  //
        ("eal", po::value<std::string>()->value_name("ARGS"), "further DPDK EAL arguments, in one word")  //
        ("log", po::value<std::string>()->value_name("LEVEL"), "DPDK log level, or type:level (error)")   //
        ("metrics", po::value<app::Whole<std::uint16_t>>()->value_name("PORT"),
         "serve Prometheus metrics on 127.0.0.1:PORT")  //
        ("command,c", po::value<std::vector<std::string>>()->value_name("CMD"),
         "a command to run after the start; may be given again")        //
        ("headless", po::bool_switch(), "do not read standard input")   //
        ("stopped", po::bool_switch(), "wait for the command `start`")  //
        ("json", po::bool_switch(), "print the reports at the end as one JSON object");
    own.add(run);
    return own;
}

/// An option that is checked to be in a range, with a sentence when it is not.
template <typename T>
T number(const po::variables_map& values, const char* name, T otherwise, T least, T most) {
    if (values.count(name) == 0) return otherwise;
    const T value = values[name].as<app::Whole<T>>().value;
    if (value < least || value > most) {
        std::ostringstream text;
        text << "--" << name << ' ' << value << " is out of range: it can be " << least << " to " << most;
        throw std::invalid_argument(text.str());
    }
    return value;
}

std::string word(const po::variables_map& values, const char* name, const char* otherwise) {
    return values.count(name) == 0 ? otherwise : values[name].as<std::string>();
}

std::vector<std::string> split_words(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> words;
    for (std::string w; in >> w;)
        words.push_back(w);
    return words;
}

/// The EAL says something about a level it does not know, and goes on.
void check_log_level(const std::string& text) {
    static const std::vector<std::string> kLevels{"emergency", "alert",  "critical", "error",
                                                  "warning",   "notice", "info",     "debug"};
    const std::string level = text.substr(text.find_last_of(":,") + 1);
    const bool digit = level.size() == 1 && level[0] >= '1' && level[0] <= '8';
    if (digit || std::find(kLevels.begin(), kLevels.end(), level) != kLevels.end()) return;
    throw std::invalid_argument("--log " + text + ": '" + level +
                                "' is no level: emergency, alert, critical, error, warning, notice, info and "
                                "debug are, or 1 to 8");
}

std::chrono::nanoseconds seconds(double s) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(s));
}

runtime::EalOptions eal_options(const po::variables_map& values, const runtime::Placement& placement) {
    runtime::EalOptions eal;
    if (values.count("cpus") != 0) eal.cpus = app::parse_cpus(values["cpus"].as<std::string>());
    // One CPU stays free for everybody else, unless the user says otherwise.
    const auto others = static_cast<unsigned>(std::max<std::size_t>(2, runtime::allowed_cpus().size()) - 1);
    const unsigned usual =
        eal.cpus.empty() ? std::min(others, kMaxWorkers) : static_cast<unsigned>(eal.cpus.size());
    if (placement.highest() > kMaxWorkers) {
        throw std::invalid_argument("--place names worker " + std::to_string(placement.highest()) +
                                    ": there can be " + std::to_string(kMaxWorkers));
    }
    eal.workers = number<unsigned>(values, "workers", std::max(usual, placement.highest()), 1, kMaxWorkers);
    eal.memory_mb = number<unsigned>(values, "memory", 512, 64, 1U << 20);
    eal.hugepages = runtime::parse_hugepages(word(values, "hugepages", "auto"));
    eal.log_level = word(values, "log", "error");
    check_log_level(eal.log_level);
    eal.extra = split_words(word(values, "eal", ""));
    return eal;
}

/// What no role of this node heeds would be passed over in silence.
void refuse_idle_traffic(const po::variables_map& values, const std::vector<std::string>& roles) {
    const auto has = [&](const char* role) { return std::ranges::find(roles, role) != roles.end(); };
    if (has("generate")) return;
    for (const char* option : {"rate", "to"})
        if (values.count(option) != 0)
            throw std::invalid_argument("--" + std::string(option) +
                                        " is for the role generate, which this node does not have");
    if (values.count("size") != 0 && !(has("forward") && values.count("tx-first") != 0))
        throw std::invalid_argument(
            "--size is for the role generate, or forward with --tx-first, and this node has neither");
}

RoleOptions role_options(const po::variables_map& values, const topology::NodeConf& given, unsigned mtu) {
    RoleOptions roles;
    roles.network = topology::load_network(given);
    const topology::NodeConf& conf = roles.network.conf;
    roles.roles = conf.roles;
    const bool has_fabric = std::find(conf.roles.begin(), conf.roles.end(), "fabric") != conf.roles.end();
    for (const char* option : {"fabric", "seed"}) {
        if (values.count(option) != 0 && !has_fabric) {
            throw std::invalid_argument(
                "--" + std::string(option) +
                " says how a fabric treats frames, and this node has none; add --role fabric");
        }
    }
    const bool has_manager = std::find(conf.roles.begin(), conf.roles.end(), "tm") != conf.roles.end();
    if (has_manager) roles.managers = choose_managers(roles.network, has_fabric);
    const bool has_host = std::find(conf.roles.begin(), conf.roles.end(), "host") != conf.roles.end();
    if (has_host) roles.network.conf.id = choose_host(roles.network);
    for (const char* role : {"generate", "sink"}) {
        const bool has = std::find(conf.roles.begin(), conf.roles.end(), role) != conf.roles.end();
        if (has && conf.encapsulation == topology::Encapsulation::kUdp)
            throw std::invalid_argument("encapsulation udp is for the frames of jobs, and those of " +
                                        std::string(role) + " travel as Ethernet's; leave one of them out");
    }
    roles.mtu = mtu;
    roles.id = conf.id.value_or(0);
    roles.to = static_cast<std::uint16_t>(
        number<unsigned>(values, "to", roles.id == 1 ? 0 : 1, 0, topology::kMaxNodes - 1));
    roles.job_key = conf.job_key.value_or(0);
    if (!conf.key.empty()) {
        if (!has_manager && !has_host)
            throw std::invalid_argument(
                "the key is for what hosts and token managers send, and this node has "
                "neither role; leave it out");
        roles.key = auth::load_key(conf.resolve(conf.key));
    }
    roles.size = static_cast<std::uint16_t>(number<unsigned>(
        values, "size", 64, traffic::kMinFrame, mtu + static_cast<unsigned>(wire::kEthernetSize)));
    roles.count = number<std::uint64_t>(values, "count", 0, 1, UINT64_MAX);
    roles.expect = number<std::uint64_t>(values, "expect", 0, 1, UINT64_MAX);
    roles.rate = traffic::parse_rate(word(values, "rate", "max"));
    roles.window = number<unsigned>(values, "window", 0, 1, 1U << 20);
    roles.prime = number<unsigned>(values, "tx-first", 0, 1, 4096);
    roles.clients = word(values, "clients", "");
    roles.until_left = values["until-left"].as<bool>();
    roles.impairment = fabric::parse_impairment(word(values, "fabric", ""));
    roles.seed = number<std::uint64_t>(values, "seed", 1, 0, UINT64_MAX);
    refuse_idle_traffic(values, conf.roles);
    return roles;
}

ConsoleOptions console_options(const po::variables_map& values, const topology::NodeConf& conf) {
    ConsoleOptions console;
    if (values.count("command") != 0) console.commands = values["command"].as<std::vector<std::string>>();
    console.script = conf.exec.empty() ? "" : conf.resolve(conf.exec);
    if (conf.duration) console.duration = seconds(*conf.duration);
    if (conf.stats_period) console.stats_period = seconds(*conf.stats_period);
    console.headless = values["headless"].as<bool>();
    return console;
}

/// Token managers beside a fabric run on the worker of the fabric, unless told otherwise.
runtime::Placement placement_of(const topology::NodeConf& conf) {
    const auto has = [&](const char* role) {
        return std::find(conf.roles.begin(), conf.roles.end(), role) != conf.roles.end();
    };
    const runtime::Placement wished(conf.place);
    if (!has("fabric") || !has("tm") || wished.find("tm") != 0) return wished;
    return runtime::Placement(conf.place + " tm@" + std::to_string(std::max(1U, wished.find("fabric"))));
}

/// A node is a host, or else the token manager that it runs, which need not have been named.
share::Identity identity_of(const RoleOptions& roles) {
    const bool is_host = std::find(roles.roles.begin(), roles.roles.end(), "host") != roles.roles.end();
    const topology::NodeId node = is_host || roles.managers.empty() ? roles.id : roles.managers.front();
    share::Identity identity{.mac = roles.network.mac(node), .job_key = roles.job_key, .node = node};
    if (const auto& topology = roles.network.topology)
        identity.hosts = static_cast<std::uint16_t>(topology->host_count());
    if (const topology::UdpNetwork udp = roles.network.udp(node); !udp.addresses.empty()) {
        identity.encapsulation = {.transport = wire::Transport::kUdp, .udp_port = udp.port};
        identity.address = udp.addresses[node];
    }
    return identity;
}

NodeCommand assemble(const po::variables_map& values, const topology::NodeConf& conf) {
    NodeCommand command;
    command.placement = placement_of(conf);
    command.node.eal = eal_options(values, command.placement);
    command.node.idle =
        runtime::parse_idle_policy(word(values, "idle", values.count("cpus") != 0 ? "spin" : "yield"));
    command.node.packets = number<unsigned>(values, "packets", 16383, 1023, 1U << 24);
    command.node.mtu = number<unsigned>(values, "mtu", 1500, 68, runtime::kMaxMtu);
    if (values.count("metrics") != 0)
        command.node.metrics_port = values["metrics"].as<app::Whole<std::uint16_t>>().value;
    command.roles = role_options(values, conf, command.node.mtu);
    command.node.identity = identity_of(command.roles);
    command.console = console_options(values, conf);
    for (const std::string& list : conf.links) {
        for (link::LinkSpec& spec : link::parse_links(list))
            command.links.push_back(std::move(spec));
    }
    command.stopped = values["stopped"].as<bool>();
    command.json = values["json"].as<bool>();
    return command;
}

/// What node.conf said of our own options, beneath what the command line said.
void store_conf(const topology::NodeConf& conf, const po::options_description& own,
                po::variables_map& values) {
    std::set<std::string> seen;
    for (const auto& [key, value] : conf.more) {
        const bool repeats = key == "command";
        if (!seen.insert(key).second && !repeats) throw conf.error(key, "it is given twice: remove one");
    }
    po::parsed_options parsed(&own);
    for (const auto& [key, value] : conf.more)
        parsed.options.emplace_back(key, std::vector<std::string>{value});
    try {
        po::store(parsed, values);
    } catch (const po::validation_error& misfit) {
        throw conf.error(misfit.get_option_name(), misfit.what());
    }
}

}  // namespace

std::variant<NodeCommand, int> parse_node_command(int argc, char** argv) {
    const app::Usage usage{
        "node", "--role ROLE[,ROLE...] --link SPEC[,SPEC...] [OPTION...]",
        "Launches a node: stages on worker lcores between links, with a prompt.\n\n"
        "Roles: echo returns frames; forward joins links in pairs; generate sends numbered frames;\n"
        "sink checks them; fabric is an Ethernet switch that can impair what it carries;\n"
        "tm is a token manager, on a link or, as fabric,tm, beside the fabric;\n"
        "host keeps logical time and executes what it is sent;\n"
        "shared lets processes that register (--clients SOCKET) share its link, or a port of the fabric.\n"
        "Links: ring:NAME virtio:SOCKET memif:SOCKET afpacket:IF afxdp:IF tap:IF\n"
        "pcap:IN[,OUT] null: pci:BDF shared:SOCKET.  Commands: see `help` at the prompt.\n"};
    const po::options_description own = own_options();
    po::options_description visible;
    visible.add_options()("config", po::value<std::string>()->value_name("FILE"),
                          "a node.conf; the command line wins");
    visible.add(topology::node_options()).add(own);
    po::variables_map values;
    if (const auto end = app::parse_options(usage, visible, argc, argv, values)) return *end;
    try {
        topology::NodeConf conf;
        if (values.count("config") != 0)
            conf = topology::load_node_conf(values["config"].as<std::string>(), own);
        topology::read_options(conf, po::command_line_parser(argc, argv).options(visible).run());
        store_conf(conf, own, values);
        return assemble(values, conf);
    } catch (const std::exception& error) {
        return app::wrong_usage("node", error.what());
    }
}

}  // namespace isoplane::node
