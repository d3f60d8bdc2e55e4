// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "options.hh"

#include <algorithm>
#include <charconv>
#include <isoplane/runtime/eal.hh>
#include <isoplane/wire/channel.hh>
#include <isoplane/wire/ethernet.hh>
#include <isoplane/wire/frame.hh>
#include <isoplane/wire/isotach.hh>
#include <isoplane/wire/message.hh>
#include <sstream>
#include <stdexcept>

#include "../node/node.hh"
#include "../options.hh"
#include "sweep.hh"
#include "trial.hh"

namespace isoplane::perf {

namespace {

namespace po = boost::program_options;

constexpr std::size_t kLargest = std::size_t{64} << 20;
constexpr double kLongest = 60;

/// "64", "8K", "1M".
std::size_t parse_size(const std::string& word) {
    std::size_t size = 0;
    const char* const last = word.data() + word.size();
    const auto [end, error] = std::from_chars(word.data(), last, size);
    const std::string_view unit(end, static_cast<std::size_t>(last - end));
    const std::size_t scale = unit.empty() ? 1 : unit == "K" ? 1024 : unit == "M" ? 1024 * 1024 : 0;
    const bool read = error == std::errc{} && scale != 0 && size <= kLargest / scale;
    if (!read || size == 0) {
        throw std::invalid_argument("--size names '" + word +
                                    "', which is no size of a message; write bytes from 1 to 64M, as in "
                                    "64,8K,1M");
    }
    return size * scale;
}

std::vector<std::size_t> parse_sizes(const std::string& list) {
    std::vector<std::size_t> sizes;
    std::istringstream in(list);
    for (std::string word; std::getline(in, word, ',');)
        sizes.push_back(parse_size(word));
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    if (sizes.empty()) throw std::invalid_argument("--size names no size; write for example 64,8K");
    return sizes;
}

/// Two, so that each side has its own; one, when that is what there is.
std::vector<unsigned> choose_cpus(const po::variables_map& values) {
    if (values.count("cpus") != 0) {
        const std::vector<unsigned> cpus = app::parse_cpus(values["cpus"].as<std::string>());
        if (cpus.size() > 2)
            throw std::invalid_argument("--cpus names " + std::to_string(cpus.size()) +
                                        " CPUs; a pair has two sides, so give two, or one for both");
        return cpus;
    }
    std::vector<unsigned> cpus = runtime::allowed_cpus();
    if (cpus.size() > 2) cpus.erase(cpus.begin() + 2, cpus.end());
    return cpus;
}

void assemble_links(Options& options, const po::variables_map& values) {
    options.link = values["link"].as<std::string>();
    if (values.count("size") != 0) options.sizes = parse_sizes(values["size"].as<std::string>());
    options.duration = values["duration"].as<double>();
    options.mtu = values["mtu"].as<app::Whole<unsigned>>().value;
    options.json = values["json"].as<std::string>();
    options.cpus = choose_cpus(values);
    if (!(options.duration > 0 && options.duration <= kLongest))
        throw std::invalid_argument("--duration must be a number of seconds above 0, at most 60");
    if (options.mtu < 576 || options.mtu > node::kMaxMtu)
        throw std::invalid_argument("--mtu " + std::to_string(options.mtu) +
                                    " is out of range: it can be 576 to " + std::to_string(node::kMaxMtu));
}

void assemble_common(Options& options, const po::variables_map& values) {
    assemble_links(options, values);
    options.rounds = values["rounds"].as<app::Whole<unsigned>>().value;
    options.check = values["check"].as<bool>();
    if (options.rounds < 1 || options.rounds > 1000)
        throw std::invalid_argument("--rounds " + std::to_string(options.rounds) +
                                    " is out of range: it can be 1 to 1000");
}

Options assemble_rfc2544(const po::variables_map& values) {
    Options options;
    assemble_links(options, values);
    const std::size_t most = options.mtu + wire::kEthernetSize + kFcs;
    if (options.sizes.front() < kLeastFrame || options.sizes.back() > most)
        throw std::invalid_argument("--size: with an MTU of " + std::to_string(options.mtu) +
                                    " a frame has " + std::to_string(kLeastFrame) + " to " +
                                    std::to_string(most) + " bytes");
    return options;
}

/// Throws unless messages of all sizes fit a frame, with so many bytes more in front of them.
void check_fits(const Options& options, std::size_t overhead, const std::string& what) {
    const std::size_t most = options.mtu - wire::kHeaderSize - wire::kMessageHeaderSize - overhead;
    if (options.sizes.back() > most)
        throw std::invalid_argument("--size names " + std::to_string(options.sizes.back()) +
                                    " bytes, but with an MTU of " + std::to_string(options.mtu) + " " + what +
                                    " has at most " + std::to_string(most));
}

PairOptions assemble_pair(const po::variables_map& values) {
    PairOptions options;
    assemble_common(options, values);
    options.csv = values["csv"].as<std::string>();
    options.kernel = !values["no-kernel"].as<bool>();
    const std::string encapsulation = values["encapsulation"].as<std::string>();
    if (encapsulation != "ethernet" && encapsulation != "udp")
        throw std::invalid_argument("--encapsulation " + encapsulation +
                                    " is not known: it can be ethernet or udp");
    options.frames = {.udp = encapsulation == "udp", .trust_fcs = values["trust-fcs"].as<bool>()};
    if (options.json == "-" && options.csv == "-")
        throw std::invalid_argument("--json - and --csv - cannot both have standard output; give one a file");
    return options;
}

/// Numbers from 1 to `most`, in ascending order.
template <typename Number>
std::vector<Number> parse_numbers(const std::string& option, const std::string& list, Number most) {
    std::vector<Number> all;
    std::istringstream in(list);
    for (std::string word; std::getline(in, word, ',');) {
        Number number = 0;
        const char* const last = word.data() + word.size();
        const auto [end, error] = std::from_chars(word.data(), last, number);
        if (error != std::errc{} || end != last || number < 1 || number > most)
            throw std::invalid_argument(option + " names '" + word + "'; write numbers from 1 to " +
                                        std::to_string(most) + ", as in 1,2,4");
        all.push_back(number);
    }
    if (all.empty()) throw std::invalid_argument(option + " names no number; write for example 1,2");
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

ManagerAt parse_manager_at(const std::string& word, const std::string& link) {
    if (word == "host") return ManagerAt::kHost;
    if (word != "fabric" && word != "port")
        throw std::invalid_argument("--tm " + word + " is not known: it can be host, fabric or port");
    if (!joins_itself(link))
        throw std::invalid_argument("--tm " + word +
                                    " puts a fabric between two wires, which have to be in this process: use "
                                    "--link ring, virtio or memif");
    return word == "fabric" ? ManagerAt::kFabric : ManagerAt::kPort;
}

/// "all", "none", or names.
std::vector<std::string> parse_sweeps(const std::string& list) {
    if (list == "none") return {};
    if (list == "all") return sweep_names();
    std::vector<std::string> sweeps;
    std::istringstream in(list);
    for (std::string word; std::getline(in, word, ',');) {
        if (std::ranges::find(sweep_names(), word) == sweep_names().end()) {
            std::string known;
            for (const std::string& name : sweep_names())
                known += name + ", ";
            throw std::invalid_argument("--sweep names '" + word + "'; there are " + known + "all and none");
        }
        sweeps.push_back(word);
    }
    if (sweeps.empty())
        throw std::invalid_argument("--sweep names no sweep; write for example messages,loss");
    return sweeps;
}

/// A message in logical time has to fit a frame.
OrderOptions assemble_order(const po::variables_map& values) {
    OrderOptions options;
    assemble_common(options, values);
    options.ahead =
        parse_numbers("--tokens-ahead", values["tokens-ahead"].as<std::string>(), std::size_t{64});
    options.manager_at = parse_manager_at(values["tm"].as<std::string>(), options.link);
    options.sweeps = parse_sweeps(values["sweep"].as<std::string>());
    options.csv = values["csv"].as<std::string>();
    if (options.json == "-" && options.csv == "-")
        throw std::invalid_argument("--json - and --csv - cannot both have standard output; give one a file");
    check_fits(options, wire::kIsotachSize, "a message in logical time");
    return options;
}

MemoryOptions assemble_memory(const po::variables_map& values) {
    MemoryOptions options;
    assemble_common(options, values);
    options.writes = parse_numbers("--writes", values["writes"].as<std::string>(), 1024U);
    options.variables = parse_numbers("--variables", values["variables"].as<std::string>(), 1024U);
    options.workers = values["workers"].as<app::Whole<unsigned>>().value;
    options.csv = values["csv"].as<std::string>();
    options.kernel = !values["no-kernel"].as<bool>();
    if (options.workers < 1 || options.workers > 1000)
        throw std::invalid_argument("--workers " + std::to_string(options.workers) +
                                    " is out of range: it can be 1 to 1000");
    if (options.json == "-" && options.csv == "-")
        throw std::invalid_argument("--json - and --csv - cannot both have standard output; give one a file");
    return options;
}

/// `sizes` of messages; nullptr where they are given.
void add_common(po::options_description& visible, const char* sizes) {
    visible.add_options()  //
        ("link", po::value<std::string>()->value_name("SPEC[,SPEC]")->default_value("ring"),
         "the two links, or ring, virtio or memif for both ends of one wire in this process");
    if (sizes != nullptr)
        visible.add_options()("size", po::value<std::string>()->value_name("LIST")->default_value(sizes),
                              "bytes of a message");
    visible.add_options()  //
        ("rounds", po::value<app::Whole<unsigned>>()->value_name("N")->default_value({7}, "7"),
         "how often everything is measured; the figures are medians")  //
        ("duration", po::value<double>()->value_name("S")->default_value(0.03, "0.03"),
         "seconds of each measurement")  //
        ("mtu", po::value<app::Whole<unsigned>>()->value_name("BYTES")->default_value({1500}, "1500"),
         "largest Ethernet payload of the links")  //
        ("cpus", po::value<std::string>()->value_name("LIST"),
         "a CPU for each side, as in 2,3; else the first two there are")  //
        ("json", po::value<std::string>()->value_name("FILE")->default_value("", "no"),
         "write all figures as JSON; - is standard output, without the tables")  //
        ("check", po::bool_switch(), "exit 1 when a target is missed");
}

using Check = void (*)(const PairOptions&);

/// Of benchmarks that compare transports. `check` throws for what this one cannot do.
std::variant<PairOptions, int> parse_pair(
    const app::Usage& usage, const char* sizes, int argc, char** argv,
    Check check = [](const PairOptions&) {}) {
    po::options_description visible("Options");
    add_common(visible, sizes);
    visible.add_options()                                                        //
        ("no-kernel", po::bool_switch(), "leave the sockets of the kernel out")  //
        ("encapsulation", po::value<std::string>()->value_name("HOW")->default_value("ethernet"),
         "how the NIU's frames travel: ethernet or udp")                                //
        ("trust-fcs", po::bool_switch(), "leave out the NIU's checksum over payloads")  //
        ("csv", po::value<std::string>()->value_name("FILE")->default_value("", "no"),
         "the same as CSV, a line for each transport and size");
    po::variables_map values;
    if (const auto end = app::parse_options(usage, visible, argc, argv, values)) return *end;
    try {
        PairOptions options = assemble_pair(values);
        check(options);
        return options;
    } catch (const std::exception& error) {
        return app::wrong_usage(usage.name, error.what());
    }
}

}  // namespace

std::variant<PairOptions, int> parse_pair_options(int argc, char** argv) {
    const app::Usage usage{
        "perf pair", "[OPTION...]",
        "Measures round trips, message rate and bandwidth between two links, of the NIU with and\n"
        "without coalescing, beside frames alone on the same links and UDP and TCP sockets of the\n"
        "kernel, all in turns on the same two CPUs; then what a message costs, step by step.\n\n"
        "  io             frames that nobody reads or writes: what the link can carry\n"
        "  raw            messages copied into frames and out of them, and nothing else\n"
        "  niu            the NIU, a frame for each message\n"
        "  niu_coalesced  the NIU, small messages share frames\n"
        "  udp, tcp       non-blocking sockets, 32 messages a call; over a veth pair where the\n"
        "                 user may make one, otherwise over loopback\n"};
    return parse_pair(usage, "8,64,256,1K,4K,8K,64K,1M", argc, argv);
}

std::variant<PairOptions, int> parse_portals_options(int argc, char** argv) {
    const app::Usage usage{
        "perf portals", "[OPTION...]",
        "Measures Portals between two links: puts, there and back and in a stream, beside the NIU under\n"
        "them, frames alone on the same links and TCP sockets of the kernel, all in turns on the same two\n"
        "CPUs. Then what it takes to match a message, and how much of a CPU is left to a program while an\n"
        "lcore receives for it.\n\n"
        "  raw      messages copied into frames and out of them, and nothing else\n"
        "  niu      the NIU, small messages share frames\n"
        "  portals  puts into the same memory over and over, an event for each\n"
        "  tcp      non-blocking sockets, 32 messages a call; over a veth pair where the user may make one,\n"
        "           otherwise over loopback\n"};
    return parse_pair(usage, "8,64,256,1K,2K,4K,8K,16K,64K,256K,1M,4M", argc, argv);
}

std::variant<PairOptions, int> parse_active_options(int argc, char** argv) {
    const app::Usage usage{
        "perf active", "[OPTION...]",
        "Measures active messages between two links: requests of four words and transfers, there and back\n"
        "and in a stream, beside the NIU under them, frames alone on the same links and UDP and TCP sockets\n"
        "of the kernel, all in turns on the same two CPUs. Then the cycles of a request, step by step, and\n"
        "what they are for.\n\n"
        "  raw       messages copied into frames and out of them, and nothing else\n"
        "  niu       the NIU, small messages share frames\n"
        "  request   four words, 32 bytes: a request, and its handler's reply or an acknowledgement\n"
        "  xfer      transfers to the receiver's memory, answered by one back or an acknowledgement\n"
        "  udp, tcp  non-blocking sockets, 32 messages a call; over a veth pair where the user may make\n"
        "            one, otherwise over loopback\n"};
    return parse_pair(usage, "8,32,64,128,256,512,1K,2K,4K,8K,64K,1M", argc, argv);
}

std::variant<PairOptions, int> parse_channel_options(int argc, char** argv) {
    const app::Usage usage{
        "perf channel", "[OPTION...]",
        "Measures channels between two links, there and back and in a stream, beside the NIU under them,\n"
        "frames alone on the same links and UDP and TCP sockets of the kernel, all in turns on the same two\n"
        "CPUs. Then how many messages a node sends back in the buffers in which they come, beside one that\n"
        "sends frames back as they are.\n\n"
        "  raw        messages copied into frames and out of them, and nothing else\n"
        "  niu        the NIU, small messages share frames\n"
        "  datagram   as programs have them: below 256 bytes copied into shared frames, above copy-free\n"
        "  reliable   the same, sent reliably\n"
        "  copied     datagrams, all of them copied\n"
        "  copy_free  datagrams, none of them copied\n"
        "  udp, tcp   non-blocking sockets, 32 messages a call; over a veth pair where the user may make\n"
        "             one, otherwise over loopback\n"};
    return parse_pair(usage, "8,64,256,512,1K,1400", argc, argv, [](const PairOptions& options) {
        const std::size_t in_udp = options.frames.udp ? wire::kUdpEnvelopeSize - wire::kEthernetSize : 0;
        check_fits(options, in_udp + wire::kChannelHeaderSize, "a message to a channel");
    });
}

std::variant<Options, int> parse_rfc2544_options(int argc, char** argv) {
    const app::Usage usage{
        "perf rfc2544", "[OPTION...]",
        "Measures what is between two links as RFC 2544 has it, with frames of several sizes from the first\n"
        "to the second: the throughput, which is the highest rate at which none is lost; the latency at "
        "that\n"
        "rate; how many are lost at each tenth of the highest rate there is; and the longest burst of which\n"
        "none is lost.\n"};
    po::options_description visible("Options");
    visible.add_options()  //
        ("link", po::value<std::string>()->value_name("SPEC[,SPEC]")->default_value("ring"),
         "the two links, or ring, virtio or memif for both ends of one wire in this process")  //
        ("size", po::value<std::string>()->value_name("LIST")->default_value("64,128,256,512,1024,1280,1518"),
         "bytes of a frame, with its FCS")  //
        ("duration", po::value<double>()->value_name("S")->default_value(0.5, "0.5"),
         "seconds of a trial")  //
        ("mtu", po::value<app::Whole<unsigned>>()->value_name("BYTES")->default_value({1500}, "1500"),
         "largest Ethernet payload of the links")  //
        ("cpus", po::value<std::string>()->value_name("LIST"),
         "a CPU for each side, as in 2,3; else the first two there are")  //
        ("json", po::value<std::string>()->value_name("FILE")->default_value("", "no"),
         "write all figures as JSON; - is standard output, without the table");
    po::variables_map values;
    if (const auto end = app::parse_options(usage, visible, argc, argv, values)) return *end;
    try {
        return assemble_rfc2544(values);
    } catch (const std::exception& error) {
        return app::wrong_usage(usage.name, error.what());
    }
}

std::variant<OrderOptions, int> parse_order_options(int argc, char** argv) {
    const app::Usage usage{
        "perf order", "[OPTION...]",
        "Measures what ordering costs: messages in logical time beside the same messages without it,\n"
        "in turns on the same links and CPUs. Each message is an isochron of its own.\n\n"
        "  noniso     messages outside logical time\n"
        "  isotach/H  messages in logical time, with H tokens sent ahead\n\n"
        "Then come sweeps: what an isochron costs as one thing changes, among hosts around a switch with\n"
        "a token manager, which one thread polls in turn.\n\n"
        "  messages, mixed  of an isochron: all to others; every other one to its issuer\n"
        "  destinations     of an isochron, a message for each\n"
        "  hosts            of which one is addressed\n"
        "  ahead, interval  tokens that are sent ahead; microseconds between two tokens, at least\n"
        "  loss             of all frames\n"};
    po::options_description visible("Options");
    add_common(visible, "64,256,1K");
    visible.add_options()  //
        ("tokens-ahead", po::value<std::string>()->value_name("LIST")->default_value("1,2"),
         "tokens that every node sends ahead")  //
        ("tm", po::value<std::string>()->value_name("WHERE")->default_value("host"),
         "the token manager: beside the host that sends first, whose link leads to the other (host); beside "
         "a "
         "fabric between the two (fabric); or at a port of that fabric, on the other CPU (port)")  //
        ("sweep", po::value<std::string>()->value_name("LIST")->default_value("all"),
         "sweeps by their names, all or none")  //
        ("csv", po::value<std::string>()->value_name("FILE")->default_value("", "no"),
         "the sweeps as CSV, a line for each value");
    po::variables_map values;
    if (const auto end = app::parse_options(usage, visible, argc, argv, values)) return *end;
    try {
        return assemble_order(values);
    } catch (const std::exception& error) {
        return app::wrong_usage(usage.name, error.what());
    }
}

std::variant<MemoryOptions, int> parse_memory_options(int argc, char** argv) {
    const app::Usage usage{
        "perf memory", "[OPTION...]",
        "Measures shared memory in logical time between two hosts, all in turns on the same links and "
        "CPUs:\n\n"
        "  reads    of a variable whose copy is here; of one whose copy the other host has, step by\n"
        "           step, beside a message in logical time that is answered by another\n"
        "  writes   what it takes to issue isochrons of some writes, how many of them are executed, and how\n"
        "           fast time goes under that load; all to the other host, or half of them (mixed)\n"
        "  updates  of two variables that the other host has, atomically, by workers that want the old\n"
        "           values: the fewer variables, the more they contend\n\n"
        "The updates are done in these ways:\n\n"
        "  isochron      one isochron that adds to both variables\n"
        "  sched         one that reads and schedules them, and one that assigns what was computed\n"
        "  locks_niu     a lock for each variable, at a server of theirs, by messages of the NIU\n"
        "  locks_tcp     the same by a non-blocking TCP connection; over a veth pair where the user\n"
        "                may make one, otherwise over loopback\n"
        "  redis         MULTI, two INCR and EXEC, over loopback, where redis-server is installed\n"};
    po::options_description visible("Options");
    add_common(visible, nullptr);
    visible.add_options()  //
        ("writes", po::value<std::string>()->value_name("LIST")->default_value("1,2,4,8,16,32"),
         "writes of an isochron")  //
        ("variables", po::value<std::string>()->value_name("LIST")->default_value("1,4,16,64"),
         "variables that updates choose from")  //
        ("workers", po::value<app::Whole<unsigned>>()->value_name("N")->default_value({16}, "16"),
         "workers that update, each one update at a time")                 //
        ("no-kernel", po::bool_switch(), "leave locks_tcp and redis out")  //
        ("csv", po::value<std::string>()->value_name("FILE")->default_value("", "no"),
         "the same as CSV, a line for each figure");
    po::variables_map values;
    if (const auto end = app::parse_options(usage, visible, argc, argv, values)) return *end;
    try {
        return assemble_memory(values);
    } catch (const std::exception& error) {
        return app::wrong_usage(usage.name, error.what());
    }
}

}  // namespace isoplane::perf
