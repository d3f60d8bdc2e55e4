// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "node_option.hh"

#include <algorithm>
#include <charconv>

#include "text.hh"

namespace isoplane::topology {

namespace {

constexpr std::string_view kHost = "host.";
constexpr std::string_view kMac = "mac.";
constexpr double kLongestSeconds = 1e9;

[[noreturn]] void refuse(const std::string& value, const std::string& expected) {
    throw Misfit{quote(value) + " is not possible here; " + expected + " was expected: write one"};
}

template <typename T>
std::string number_text(T value) {
    char buffer[32];
    const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
    return {buffer, end};
}

double seconds(const std::string& value) {
    double s = 0;
    const char* last = value.data() + value.size();
    const auto [end, error] = std::from_chars(value.data(), last, s);
    if (error != std::errc{} || end != last || !(s > 0 && s <= kLongestSeconds))
        refuse(value, "a number of seconds above 0, such as 1 or 0.5,");
    return s;
}

std::uint32_t job_key(const std::string& value) {
    const bool hex = value.starts_with("0x");
    std::uint32_t key = 0;
    const char* last = value.data() + value.size();
    const auto [end, error] = std::from_chars(value.data() + (hex ? 2 : 0), last, key, hex ? 16 : 10);
    if (error != std::errc{} || end != last)
        refuse(value, "a number from 0 to 4294967295, or 0x and up to eight hexadecimal digits,");
    return key;
}

std::vector<std::string> roles(const std::string& value) {
    std::vector<std::string> list;
    Cursor cursor(value);
    do {
        const std::string role(cursor.word(","));
        const bool fits = !role.empty() && std::all_of(role.begin(), role.end(), [](char c) {
            return (c >= 'a' && c <= 'z') || c == '-';
        });
        if (!fits || std::find(list.begin(), list.end(), role) != list.end())
            refuse(value,
                   "a list of different roles in lower case with commas between, such as \"host,tm\",");
        list.push_back(role);
    } while (cursor.take(','));
    if (!cursor.rest().empty()) refuse(value, "a comma between two roles");
    return list;
}

Mac host_mac(const std::string& value) {
    const auto mac = parse_mac(value);
    if (!mac || !is_unicast(*mac))
        refuse(value, "the Ethernet address of one station, such as 02:69:73:00:00:01,");
    return *mac;
}

const std::string& checked_name(const std::string& name) {
    if (const std::string fault = name_fault(name); !fault.empty()) throw Misfit{fault};
    return name;
}

/// Also what Topology::name() says of an implicit token manager, which no file can name.
const std::string& checked_node_name(const std::string& name) {
    const bool is_implicit = name.starts_with("tm@") &&
                             parse_number(std::string_view(name).substr(3), kMaxSwitchNumber).has_value();
    return is_implicit ? name : checked_name(name);
}

IpInSubnet host_ip(const std::string& value) {
    const auto ip = parse_ip_in_subnet(value);
    if (!ip || !is_unicast(ip->address))
        refuse(value,
               "the IPv4 address of one station, and the bits of its subnet if it has a gateway, such as "
               "10.1.0.7/24,");
    return *ip;
}

Ip host_gateway(const std::string& value) {
    const auto ip = parse_ip(value);
    if (!ip || !is_unicast(*ip)) refuse(value, "the IPv4 address of a router, such as 10.1.0.1,");
    return *ip;
}

/// host.NAME.what: names may have dots themselves, so the last one ends the name.
void set_host(NodeConf& conf, std::string_view key, const std::string& value) {
    const std::string_view tail = key.substr(kHost.size());
    const std::size_t dot = tail.rfind('.');
    const std::string_view what = dot == std::string_view::npos ? std::string_view{} : tail.substr(dot + 1);
    if (what != "mac" && what != "ip" && what != "gateway" && what != "link" && what != "ssh")
        throw Misfit{quote(key) +
                     " is not known; host.NAME.mac, .ip, .gateway, .link or .ssh was expected: write one of "
                     "these"};
    HostConf& host = conf.hosts[checked_node_name(std::string(tail.substr(0, dot)))];
    if (what == "mac") host.mac = host_mac(value);
    if (what == "ip") host.ip = host_ip(value);
    if (what == "gateway") host.gateway = host_gateway(value);
    if (what == "link") host.link = value;
    if (what == "ssh") host.ssh = value;
}

void set_mac(NodeConf& conf, std::string_view key, const std::string& value) {
    conf.hosts[checked_name(std::string(key.substr(kMac.size())))].mac = host_mac(value);
}

void get_hosts(const NodeConf& conf, const WriteOption& write) {
    for (const auto& [name, host] : conf.hosts) {
        const std::string prefix = std::string(kHost) + name;
        if (host.mac) write(prefix + ".mac", to_string(*host.mac));
        if (host.ip) write(prefix + ".ip", ip_text(*host.ip));
        if (host.gateway) write(prefix + ".gateway", ip_text(*host.gateway));
        if (!host.link.empty()) write(prefix + ".link", host.link);
        if (!host.ssh.empty()) write(prefix + ".ssh", host.ssh);
    }
}

void get_roles(const NodeConf& conf, const WriteOption& write) {
    std::string list;
    for (const std::string& role : conf.roles)
        list += (list.empty() ? "" : ",") + role;
    if (!list.empty()) write("role", list);
}

void set_id(NodeConf& conf, std::string_view, const std::string& value) {
    conf.id = parse_number<NodeId>(value, kMaxNodes - 1);
    if (!conf.id) refuse(value, "a node id from 0 to " + std::to_string(kMaxNodes - 1) + ",");
}

void set_tokens_ahead(NodeConf& conf, std::string_view, const std::string& value) {
    conf.tokens_ahead = parse_number<std::uint32_t>(value, kMostTokensAhead);
    if (!conf.tokens_ahead || *conf.tokens_ahead == 0)
        refuse(value, "a number of tokens from 1 to " + std::to_string(kMostTokensAhead));
}

void set_survive(NodeConf& conf, std::string_view, const std::string& value) {
    conf.survive = seconds(value);
    if (*conf.survive < kLeastSurvival || *conf.survive > kMostSurvival)
        refuse(value, "a number of seconds from 0.5 to 3600");
}

void set_encapsulation(NodeConf& conf, std::string_view, const std::string& value) {
    if (value != "ethernet" && value != "udp") refuse(value, "ethernet or udp");
    conf.encapsulation = value == "udp" ? Encapsulation::kUdp : Encapsulation::kEthernet;
}

void get_encapsulation(const NodeConf& conf, const WriteOption& write) {
    if (conf.encapsulation)
        write("encapsulation", *conf.encapsulation == Encapsulation::kUdp ? "udp" : "ethernet");
}

void set_udp_port(NodeConf& conf, std::string_view, const std::string& value) {
    conf.udp_port = parse_number<std::uint16_t>(value);
    if (!conf.udp_port || *conf.udp_port == 0) refuse(value, "a UDP port from 1 to 65535");
}

void set_pages(NodeConf& conf, std::string_view, const std::string& value) {
    conf.pages = parse_number<std::uint32_t>(value);
    if (!conf.pages || *conf.pages == 0) refuse(value, "a number of pages from 1 to 4294967295");
}

template <std::string NodeConf::*field>
void set_text(NodeConf& conf, std::string_view, const std::string& value) {
    conf.*field = value;
}

/// The row of an option whose value is any text.
template <std::string NodeConf::*field>
NodeOption text_row(const char* name, const char* value, const char* help, bool is_path) {
    static const char* const key = name;
    return {key,
            value,
            help,
            is_path,
            false,
            set_text<field>,
            [](const NodeConf& conf, const WriteOption& write) {
                if (!(conf.*field).empty()) write(key, conf.*field);
            }};
}

using Conf = const NodeConf&;
using Write = const WriteOption&;

const NodeOption kTable[] = {
    {"role", "R[,R...]", "what this node is", false, false,
     [](NodeConf& c, std::string_view, const std::string& v) { c.roles = roles(v); }, get_roles},
    {"link", "SPEC[,SPEC...]", "the ports of this node; may be given several times", false, true,
     [](NodeConf& c, std::string_view, const std::string& v) { c.links.push_back(v); },
     [](Conf c, Write write) {
         for (const std::string& link : c.links)
             write("link", link);
     }},
    {"id", "N", "the node id of this node", false, false, set_id,
     [](Conf c, Write write) {
         if (c.id) write("id", number_text(*c.id));
     }},
    {"name", "NAME", "the name of this node in the topology", false, false,
     [](NodeConf& c, std::string_view, const std::string& v) { c.name = checked_node_name(v); },
     [](Conf c, Write write) {
         if (!c.name.empty()) write("name", c.name);
     }},
    text_row<&NodeConf::place>("place", "\"STAGE@LCORE ...\"", "which stage runs on which lcore", false),
    text_row<&NodeConf::exec>("exec", "FILE", "commands to run at the start", true),
    {"stats-period", "S", "print statistics every S seconds", false, false,
     [](NodeConf& c, std::string_view, const std::string& v) { c.stats_period = seconds(v); },
     [](Conf c, Write write) {
         if (c.stats_period) write("stats-period", number_text(*c.stats_period));
     }},
    {"duration", "S", "stop after S seconds", false, false,
     [](NodeConf& c, std::string_view, const std::string& v) { c.duration = seconds(v); },
     [](Conf c, Write write) {
         if (c.duration) write("duration", number_text(*c.duration));
     }},
    {"job-key", "KEY", "frames with another key are refused", false, false,
     [](NodeConf& c, std::string_view, const std::string& v) { c.job_key = job_key(v); },
     [](Conf c, Write write) {
         if (c.job_key) write("job-key", number_text(*c.job_key));
     }},
    text_row<&NodeConf::key>(
        "key", "FILE", "the secret of the job: frames are authenticated, the same for all its nodes", true),
    {"tokens-ahead", "N", "tokens sent ahead, the same for the whole job (1)", false, false, set_tokens_ahead,
     [](Conf c, Write write) {
         if (c.tokens_ahead) write("tokens-ahead", number_text(*c.tokens_ahead));
     }},
    {"survive", "S",
     "logical time goes on without who is silent for S seconds, the same for the whole job (not)", false,
     false, set_survive,
     [](Conf c, Write write) {
         if (c.survive) write("survive", number_text(*c.survive));
     }},
    {"encapsulation", "HOW", "how frames travel: ethernet, or udp to cross IP routers (ethernet)", false,
     false, set_encapsulation, get_encapsulation},
    {"udp-port", "N", "the UDP port that they go to (34997)", false, false, set_udp_port,
     [](Conf c, Write write) {
         if (c.udp_port) write("udp-port", number_text(*c.udp_port));
     }},
    text_row<&NodeConf::fmconfig>("fmconfig", "FILE", "the network, as an fmconfig file", true),
    text_row<&NodeConf::network_cfg>("network-cfg", "FILE", "the network, as a network.cfg file", true),
    text_row<&NodeConf::shmem_map>("shmem-map", "FILE", "the copysets of the shared memory", true),
    {"pages", "N", "the pages of the shared memory (default 4096)", false, false, set_pages,
     [](Conf c, Write write) {
         if (c.pages) write("pages", number_text(*c.pages));
     }},
    {"host.*", "VALUE", "host.NAME.mac, .ip, .gateway, .link or .ssh: what is to be known of a host", false,
     false, set_host, get_hosts},
    {"mac.*", "MAC", "mac.NAME: short for host.NAME.mac", false, false, set_mac, [](Conf, Write) {}},
};

}  // namespace

bool NodeOption::matches(std::string_view key) const {
    const std::string_view own = name;
    return own.ends_with('*') ? key.starts_with(own.substr(0, own.size() - 1)) : key == own;
}

std::span<const NodeOption> node_option_table() {
    return kTable;
}

const NodeOption* find_node_option(std::string_view key) {
    const auto row = std::ranges::find_if(kTable, [key](const NodeOption& o) { return o.matches(key); });
    return row == std::end(kTable) ? nullptr : row;
}

}  // namespace isoplane::topology
