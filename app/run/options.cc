// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "options.hh"

#include <algorithm>
#include <boost/program_options.hpp>
#include <isoplane/auth/key.hh>
#include <isoplane/fabric/impairment.hh>
#include <isoplane/job/program_keys.hh>
#include <isoplane/runtime/packet_filter.hh>
#include <isoplane/runtime/pool.hh>
#include <isoplane/topology/file.hh>
#include <isoplane/topology/fmconfig.hh>
#include <isoplane/topology/node_options.hh>
#include <isoplane/topology/shmem_map.hh>
#include <isoplane/wire/ethernet.hh>
#include <isoplane/wire/hello.hh>
#include <isoplane/wire/trailer.hh>
#include <stdexcept>

#include "../command.hh"
#include "../options.hh"

namespace isoplane::run {

namespace {

namespace po = boost::program_options;

constexpr unsigned kMinMtu = 68;

po::options_description visible_options() {
    po::options_description job("The job");
    job.add_options()  //
        ("ranks,n", po::value<app::Whole<unsigned>>()->value_name("N"),
         "how many ranks run the program (as many as the topology has hosts)")  //
        ("topology", po::value<std::string>()->value_name("FILE"),
         "the network, as an fmconfig file (one switch with hosts node0, node1 ...)")  //
        ("config", po::value<std::string>()->value_name("FILE"),
         "a node.conf for all ranks: fmconfig, shmem-map, pages, host.NAME.mac, .ip, .link ...")  //
        ("shmem-map", po::value<std::string>()->value_name("FILE"),
         "shared memory: which hosts hold a copy of which page")  //
        ("progress", po::value<std::string>()->default_value("inline", "")->value_name("HOW"),
         "inline: in calls of the program; lcore: on a thread of its own (inline)")  //
        ("tokens-ahead", po::value<app::Whole<unsigned>>()->value_name("N"),
         "logical time: tokens that hosts and token managers send ahead (1)")  //
        ("survive", po::value<double>()->value_name("S"),
         "logical time: go on without a node that has been silent for S seconds (not)")              //
        ("paranoid", po::bool_switch(), "logical time: check every message, and say what is wrong")  //
        ("shared", po::bool_switch(),
         "all ranks share one node, by memory, in place of a fabric with links")  //
        ("launcher", po::bool_switch(),
         "the program is a launcher, as mpirun is, and starts the ranks itself")          //
        ("timeout", po::value<double>()->value_name("S"), "end the job after S seconds")  //
        ("grace", po::value<double>()->default_value(5, "")->value_name("S"),
         "how long ranks may go on after one has failed, and after SIGTERM (5)")          //
        ("keep-going", po::bool_switch(), "let the others go on when a rank has failed")  //
        ("encapsulation", po::value<std::string>()->value_name("HOW"),
         "how frames travel: ethernet, or udp to cross IP routers (ethernet)")  //
        ("authenticate", po::value<std::string>()->implicit_value("aes-gmac")->value_name("ALGORITHM"),
         "refuse frames that are not of the job: aes-gmac, or =chacha20-poly1305")  //
        ("set", po::value<std::vector<std::string>>()->value_name("KEY=VALUE"),
         "a line for the node.conf of every rank, as in silence=5; again for another key")  //
        ("no-labels", po::bool_switch(), "forward lines as they are, without the rank in front");
    po::options_description fabric("The fabric");
    fabric.add_options()  //
        ("link", po::value<std::string>()->default_value("virtio", "")->value_name("KIND"),
         "what joins ranks to it: virtio, memif or afpacket; or direct: two ranks to each other, without one "
         "(virtio)")  //
        ("planes", po::value<app::Whole<unsigned>>()->value_name("N"),
         "how many links each rank has, 1 to 4; messages of Portals come on all of them (1)")  //
        ("fabric", po::value<std::string>()->default_value("", "")->value_name("LIST"),
         "impairments of every port, as in loss=0.01,delay=5us")  //
        ("tm", po::value<std::string>()->default_value("fabric", "")->value_name("WHERE"),
         "token managers: beside the fabric, or none of the launcher's: fabric or none (fabric)")          //
        ("seed", po::value<app::Whole<std::uint64_t>>()->value_name("N"), "what its dice begin with (1)")  //
        ("mtu", po::value<app::Whole<unsigned>>()->value_name("BYTES"),
         "largest Ethernet payload (1500; direct: 4200)")  //
        ("pcap", po::value<std::string>()->default_value("", "")->value_name("FILE"),
         "capture all that passes into a pcapng file")  //
        ("pcap-filter", po::value<std::string>()->default_value("", "all")->value_name("EXPRESSION"),
         "of it, what tcpdump would take")  //
        ("pcap-ring", po::value<std::string>()->default_value("", "")->value_name("SIZE,FILES"),
         "files of that size, as in 10M,5, of which the newest stay")  //
        ("stats", po::bool_switch(), "tell at the end what each port has counted");
    job.add(fabric);
    return job;
}

Clock::duration seconds(const po::variables_map& values, const char* name, bool may_be_zero) {
    const double s = values[name].as<double>();
    if (!(s >= 0 && s <= 1e9) || (s == 0 && !may_be_zero))
        throw std::invalid_argument("--" + std::string(name) + " must be a number of seconds, " +
                                    (may_be_zero ? "0 or more" : "above 0") + " and at most 1000000000.");
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(s));
}

/// In one line, as libpcap takes it, too.
std::string one_line(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\r' || c == '\n' || c == '\t'; }, ' ');
    const std::size_t first = std::min(text.find_first_not_of(' '), text.size());
    return text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

/// The fabric is told it by a command, which is one line of its prompt.
void check_for_command(const char* option, const std::string& text) {
    constexpr std::size_t kLongest = 1000;
    const auto blank = [](char c) { return c == ' ' || c == '\t'; };
    if (text.empty()) return;
    if (text.size() > kLongest || text.find_first_of("#\r\n") != std::string::npos || blank(text.front()) ||
        blank(text.back()))
        throw std::invalid_argument(std::string(option) + " '" + text +
                                    "' cannot be told to the fabric: leave out '#', line ends and blanks at "
                                    "the edge, and write at most " +
                                    std::to_string(kLongest) + " characters.");
}

FabricOptions fabric_options(const po::variables_map& values) {
    FabricOptions fabric;
    fabric.impairment = values["fabric"].as<std::string>();
    fabric::parse_impairment(fabric.impairment);
    if (values.count("seed") != 0)
        fabric.seed = std::to_string(values["seed"].as<app::Whole<std::uint64_t>>().value);
    if (values.count("mtu") != 0) fabric.mtu = values["mtu"].as<app::Whole<unsigned>>().value;
    if (fabric.mtu < kMinMtu || fabric.mtu > runtime::kMaxMtu)
        throw std::invalid_argument("--mtu " + std::to_string(fabric.mtu) + " is out of range: it can be " +
                                    std::to_string(kMinMtu) + " to " + std::to_string(runtime::kMaxMtu) +
                                    ".");
    fabric.pcap = values["pcap"].as<std::string>();
    check_for_command("--pcap", fabric.pcap);
    fabric.pcap_filter =
        one_line(runtime::PacketFilter(values["pcap-filter"].as<std::string>()).expression());
    check_for_command("--pcap-filter", fabric.pcap_filter);
    fabric.pcap_ring = values["pcap-ring"].as<std::string>();
    if (fabric.pcap.empty() && !(fabric.pcap_filter.empty() && fabric.pcap_ring.empty()))
        throw std::invalid_argument(
            "--pcap-filter and --pcap-ring are about a capture: name its file with --pcap.");
    const std::size_t comma = fabric.pcap_ring.find(',');
    if (!fabric.pcap_ring.empty() && comma == std::string::npos)
        throw std::invalid_argument("--pcap-ring " + fabric.pcap_ring +
                                    " is no size and number of files: write it as in 10M,5.");
    if (comma != std::string::npos) fabric.pcap_ring[comma] = ' ';
    return fabric;
}

/// Its text, checked.
std::string read_shmem_map(const std::string& path, const JobConf& conf) {
    std::string text = topology::read_file(path);
    topology::parse_shmem_map(text, path,
                              {conf.base.pages.value_or(topology::kDefaultPages), &conf.topology});
    return text;
}

std::string parse_progress(const std::string& word) {
    if (word != "inline" && word != "lcore")
        throw std::invalid_argument("--progress " + word + " is not known: it can be inline or lcore.");
    return word;
}

topology::Encapsulation parse_encapsulation(const std::string& word) {
    if (word != "ethernet" && word != "udp")
        throw std::invalid_argument("--encapsulation " + word + " is not known: it can be ethernet or udp.");
    return word == "udp" ? topology::Encapsulation::kUdp : topology::Encapsulation::kEthernet;
}

unsigned parse_planes(const po::variables_map& values, const topology::NodeConf& base) {
    if (values.count("planes") == 0) return 1;
    constexpr unsigned kMost = 4;
    const unsigned planes = values["planes"].as<app::Whole<unsigned>>().value;
    if (planes < 1 || planes > kMost)
        throw std::invalid_argument("--planes " + std::to_string(planes) +
                                    " is out of range: it can be 1 to " + std::to_string(kMost) + ".");
    if (planes > 1 && base.encapsulation == topology::Encapsulation::kUdp)
        throw std::invalid_argument("--planes " + std::to_string(planes) +
                                    " is not possible for frames in UDP: leave it out, or use ethernet.");
    return planes;
}

/// Whether the fabric has token managers.
bool parse_managers(const std::string& word, unsigned mtu, bool udp, bool authenticated) {
    if (word != "fabric" && word != "none")
        throw std::invalid_argument("--tm " + word + " is not possible: it can be fabric or none.");
    const std::size_t least = wire::kMinMtu + (udp ? wire::kIpv4Size + wire::kUdpSize : 0) +
                              (authenticated ? wire::kTrailerSize : 0);
    if (word == "fabric" && mtu < least)
        throw std::invalid_argument(
            "--mtu " + std::to_string(mtu) +
            " is too small for token managers, as for programs that use isoplane: give at "
            "least " +
            std::to_string(least) + ", or --tm none for programs that do not.");
    return word == "fabric";
}

/// A token manager is one node, and what is set is set for every rank.
void check_manager_setting(const RunCommand& command) {
    for (const auto& [key, value] : command.conf.settings) {
        if (key != "token-manager") continue;
        const std::string word = "--set token-manager=" + value;
        if (command.has_fabric && command.has_managers)
            throw std::invalid_argument(word +
                                        " makes two nodes of one number, as all token managers run beside "
                                        "the fabric: leave it out, or add --tm none.");
        if (command.ranks > 1)
            throw std::invalid_argument(word + " makes " + std::to_string(command.ranks) +
                                        " nodes of one number, as every rank would run it: leave it out.");
    }
}

/// One that the --config names, or a new one for this job.
void read_key(const po::variables_map& values, JobConf& conf) {
    const bool given = !conf.base.key.empty();
    if (given && values.count("authenticate") != 0)
        throw std::invalid_argument(
            "--authenticate makes a key, and the --config names one: leave out either.");
    if (given) conf.key = auth::key_text(auth::load_key(conf.base.resolve(conf.base.key)));
    if (values.count("authenticate") != 0)
        conf.key =
            auth::key_text(auth::random_key(auth::parse_algorithm(values["authenticate"].as<std::string>())));
}

/// What the files say, and how many ranks that means.
void read_conf(const po::variables_map& values, RunCommand& command) {
    JobConf& conf = command.conf;
    // Keys of a program are read, so that it can be said where they are given.
    if (values.count("config") != 0)
        conf.base = topology::load_node_conf(values["config"].as<std::string>(), job::program_keys());
    std::optional<topology::Topology> given;
    if (values.count("topology") != 0)
        given = topology::load_fmconfig(values["topology"].as<std::string>());
    else if (!conf.base.fmconfig.empty())
        given = topology::load_fmconfig(conf.base.resolve(conf.base.fmconfig));
    if (values.count("tokens-ahead") != 0) {
        const unsigned ahead = values["tokens-ahead"].as<app::Whole<unsigned>>().value;
        if (ahead == 0 || ahead > topology::kMostTokensAhead)
            throw std::invalid_argument("--tokens-ahead " + std::to_string(ahead) +
                                        " is out of range: it can be 1 to " +
                                        std::to_string(topology::kMostTokensAhead) + ".");
        conf.base.tokens_ahead = ahead;
    }
    if (values.count("survive") != 0) {
        conf.base.survive = values["survive"].as<double>();
        if (!(*conf.base.survive >= topology::kLeastSurvival &&
              *conf.base.survive <= topology::kMostSurvival))
            throw std::invalid_argument("--survive must be a number of seconds from 0.5 to 3600.");
    }
    if (values.count("encapsulation") != 0)
        conf.base.encapsulation = parse_encapsulation(values["encapsulation"].as<std::string>());
    count_ranks(command.parts, given ? given->host_count() : 0);
    for (const Part& part : command.parts)
        command.ranks += part.ranks;
    conf.topology = given ? *given : plain_topology(command.ranks);
    check_base(conf.base, conf.topology);
    command.has_fabric = !has_own_links(conf.base);
    read_key(values, conf);
    if (values.count("shmem-map") != 0)
        conf.shmem_map = read_shmem_map(values["shmem-map"].as<std::string>(), conf);
    else if (!conf.base.shmem_map.empty())
        conf.shmem_map = read_shmem_map(conf.base.resolve(conf.base.shmem_map), conf);
}

/// Those that run here: other machines have programs of their own.
void find_programs(RunCommand& command) {
    unsigned rank = 0;
    for (Part& part : command.parts) {
        for (const unsigned end = rank + part.ranks; rank < end; ++rank)
            if (part.path.empty() && host_of(command.conf, rank).ssh.empty())
                part.path = find_program(part.words[0], directories_of_examples());
    }
}

/// What needs a fabric, where there is none for that reason.
void refuse_about_fabric(const po::variables_map& values, const std::string& why,
                         std::initializer_list<const char*> further = {}) {
    std::vector<const char*> names{"planes", "fabric", "seed", "pcap", "pcap-filter", "pcap-ring", "stats"};
    names.insert(names.end(), further);
    for (const char* name : names)
        if (values.count(name) != 0 && !values[name].defaulted())
            throw std::invalid_argument("--" + std::string(name) + " is about a fabric, and there is none " +
                                        why + ": leave one of them out.");
}

/// A message of 4 KB in one frame, with all that goes around it. Larger frames are no faster, and take more
/// memory.
constexpr unsigned kDirectMtu = 4200;

/// Two ranks with nothing between them.
void join_directly(const po::variables_map& values, RunCommand& command) {
    refuse_about_fabric(values, "with --link direct");
    if (command.ranks != 2 || command.conf.topology.switches().size() != 1)
        throw std::invalid_argument(
            "--link direct joins two ranks, which a topology of theirs has on one switch: use virtio.");
    command.conf.first_manages = command.has_managers;
    if (values.count("mtu") == 0) command.conf.mtu = kDirectMtu;
    // There is nothing in between that is to see what they send.
    auto& settings = command.conf.settings;
    if (std::none_of(settings.begin(), settings.end(),
                     [](const auto& setting) { return setting.first == "read-memory"; }))
        settings.emplace_back("read-memory", "yes");
}

RunCommand assemble(const po::variables_map& values, CommandLine line) {
    RunCommand command;
    command.parts = std::move(line.parts);
    if (command.parts.empty())
        throw std::invalid_argument("no program given: write it after '--', as in -n 3 -- ./program");
    if (values.count("ranks") != 0) {
        const unsigned ranks = values["ranks"].as<app::Whole<unsigned>>().value;
        check_ranks(ranks);
        command.parts[0].ranks = ranks;
    }
    read_conf(values, command);
    find_programs(command);
    command.link = parse_link_kind(values["link"].as<std::string>());
    command.fabric = fabric_options(values);
    command.planes = parse_planes(values, command.conf.base);
    command.has_managers = parse_managers(values["tm"].as<std::string>(), command.fabric.mtu,
                                          command.conf.base.encapsulation == topology::Encapsulation::kUdp,
                                          !command.conf.key.empty());
    command.grace = seconds(values, "grace", true);
    if (values.count("timeout") != 0) command.timeout = seconds(values, "timeout", false);
    command.keep_going = values["keep-going"].as<bool>();
    command.labels = !values["no-labels"].as<bool>();
    command.statistics = values["stats"].as<bool>();
    command.conf.mtu = command.fabric.mtu;
    if (values["paranoid"].as<bool>()) command.conf.settings.emplace_back("paranoid", "yes");
    if (values.count("set") != 0)
        for (const std::string& word : values["set"].as<std::vector<std::string>>())
            add_setting(command.conf, parse_setting(word));
    check_manager_setting(command);
    command.conf.progress = parse_progress(values["progress"].as<std::string>());
    command.shared = values["shared"].as<bool>();
    if (command.shared) refuse_about_fabric(values, "with --shared", {"link"});
    if (command.shared && !command.has_fabric)
        throw std::invalid_argument(
            "--shared places all ranks on one node, and the --config gives hosts links of their own: leave "
            "one "
            "of them out.");
    if (!command.has_fabric)
        refuse_about_fabric(values, "as the hosts of the --config have links of their own", {"link", "tm"});
    if (command.link == LinkKind::kDirect) join_directly(values, command);
    command.launcher = values["launcher"].as<bool>();
    if (command.launcher && (command.parts.size() > 1 || !command.has_fabric))
        throw std::invalid_argument(
            "--launcher is for one program, which starts all ranks on this machine: leave out what follows "
            "':', and a --config that gives hosts links of their own.");
    if (!command.fabric.pcap.empty() && command.ranks > kMaxPorts)
        throw std::invalid_argument("--pcap is possible with " + std::to_string(kMaxPorts) +
                                    " ranks at most: more are joined by several processes.");
    if (!command.fabric.pcap.empty() && command.planes > 1)
        throw std::invalid_argument("--pcap is not possible with --planes " + std::to_string(command.planes) +
                                    ", as each plane is a process: leave one of them out.");
    return command;
}

}  // namespace

std::variant<RunCommand, int> parse_run_command(int argc, char** argv) {
    const app::Usage usage{
        "run", "-n N [OPTION...] -- PROGRAM [ARGUMENT...] [: -n M -- PROGRAM [ARGUMENT...]]...",
        "Starts N processes of a program on this machine, joined by a fabric, and further ones of other\n"
        "programs after ':'. Each finds what it has to know in the file that ISOPLANE_CONFIG names;\n"
        "ISOPLANE_RANK and ISOPLANE_SIZE are there for scripts. Their output comes out line by line,\n"
        "labelled with the rank; standard input goes to rank 0. The exit code is 0 when all exit with 0.\n"};
    po::options_description visible = visible_options();
    po::variables_map values;
    try {
        CommandLine line = divide({argv, static_cast<std::size_t>(argc)});
        std::vector<char*> words;
        for (std::string& word : line.options)
            words.push_back(word.data());
        words.push_back(nullptr);
        const auto count = static_cast<int>(line.options.size());
        if (const auto end = app::parse_options(usage, visible, count, words.data(), values)) return *end;
        return assemble(values, std::move(line));
    } catch (const std::exception& error) {
        return app::wrong_usage("run", error.what());
    }
}

}  // namespace isoplane::run
