// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "sim/options.hh"

#include <algorithm>
#include <array>
#include <isoplane/topology/fmconfig.hh>
#include <stdexcept>

#include "../options.hh"
#include "sim/large.hh"

namespace isoplane::sim {

namespace {

namespace po = boost::program_options;
using runtime::Duration;

constexpr unsigned kMostHosts = 4096;
constexpr unsigned kMostThatAllTalk = 64;
constexpr unsigned kMostSwitches = 32;
constexpr unsigned kMostIsochrons = 100'000;
constexpr unsigned kMostParts = 256;
constexpr unsigned kMostAhead = 64;
/// Above this nothing may come through for so long that a network seems to stand still.
constexpr double kMostLoss = 0.5;
constexpr Duration kLongest = std::chrono::seconds{10};

struct Named {
    std::string_view name;
    Workload workload;
};
constexpr std::array kWorkloads{Named{"random", Workload::kRandom}, Named{"pairs", Workload::kPairs},
                                Named{"all", Workload::kAll}};

Workload parse_workload(const std::string& word) {
    const auto* const found = std::ranges::find(kWorkloads, word, &Named::name);
    if (found != kWorkloads.end()) return found->workload;
    throw std::invalid_argument("--workload " + word + " is none: it can be random, pairs or all");
}

Duration parse_duration(const std::string& word) {
    fabric::Impairment impairment;
    try {
        fabric::set_key(impairment, "delay", word);
    } catch (const std::invalid_argument&) {
    }
    const Duration duration = impairment.delay;
    if (duration > Duration{0} && duration <= kLongest) return duration;
    throw std::invalid_argument("--duration " + word +
                                " is no time that can be simulated: write one up to 10s with its unit, as "
                                "2ms");
}

constexpr std::array<std::string_view, 10> kKinds{"loss",  "dup",   "reorder", "corrupt", "late",
                                                  "after", "delay", "jitter",  "gap",     "hold"};

std::string known_kinds() {
    std::string all;
    for (const std::string_view kind : kKinds)
        all += (all.empty() ? "" : ", ") + std::string(kind);
    return all;
}

Faults read_faults(const std::string& text) {
    try {
        return parse_faults(text);
    } catch (const std::invalid_argument& error) {
        throw std::invalid_argument("--faults: " + std::string(error.what()));
    }
}

/// As a shell reads it back.
std::string quoted(const std::string& word) {
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
        "=,.:/_+-%";
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
    std::string text = "'";
    for (const char c : word)
        text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

std::vector<topology::SwitchSpec> load_network(const std::string& path) {
    const topology::Topology topology = topology::load_fmconfig(path);
    if (topology.host_count() < 2 || topology.host_count() > kMostThatAllTalk ||
        topology.switch_count() > kMostSwitches)
        throw std::invalid_argument("--topology " + path + " has " + std::to_string(topology.host_count()) +
                                    " hosts on " + std::to_string(topology.switch_count()) +
                                    " switches: it can have 2 to " + std::to_string(kMostThatAllTalk) +
                                    " on up to " + std::to_string(kMostSwitches));
    std::vector<topology::SwitchSpec> network;
    for (const topology::Switch& from : topology.switches()) {
        topology::SwitchSpec& to = network.emplace_back();
        to.number = from.number;
        for (const topology::Port& port : from.ports) {
            topology::PortSpec& spec = to.ports.emplace_back();
            spec.kind = port.kind;
            if (port.kind == topology::PortKind::kLink) {
                spec.number = topology.switches()[port.peer].number;
            } else if (port.kind != topology::PortKind::kDangling) {
                spec.name = topology.name(port.node);
            }
        }
    }
    return network;
}

/// Reads the options one by one, and remembers those that a replay needs.
class Reader {
  public:
    explicit Reader(const po::variables_map& values) : values_(values) {}

    std::optional<std::string> word(const char* name) {
        if (values_.count(name) == 0) return std::nullopt;
        const auto& text = values_[name].as<std::string>();
        keep(name, text);
        return text;
    }
    std::optional<unsigned> number(const char* name, unsigned least, unsigned most) {
        if (values_.count(name) == 0) return std::nullopt;
        const unsigned value = values_[name].as<app::Whole<unsigned>>().value;
        if (value < least || value > most)
            throw std::invalid_argument("--" + std::string(name) + " " + std::to_string(value) +
                                        " is out of range: it can be " + std::to_string(least) + " to " +
                                        std::to_string(most));
        keep(name, std::to_string(value));
        return value;
    }
    bool flag(const char* name) {
        const bool said = values_[name].as<bool>();
        if (said) given_ += " --" + std::string(name);
        return said;
    }
    std::string given() && { return std::move(given_); }

  private:
    void keep(const char* name, const std::string& value) {
        given_ += " --" + std::string(name) + " " + quoted(value);
    }

    const po::variables_map& values_;
    std::string given_;
};

void exclude(const po::variables_map& values, const char* one, const char* other) {
    if (values.count(one) != 0 && values.count(other) != 0)
        throw std::invalid_argument("--" + std::string(one) + " and --" + other +
                                    " say the same in two ways; give one of them");
}

SimOptions assemble(const po::variables_map& values) {
    exclude(values, "topology", "hosts");
    exclude(values, "topology", "switches");
    exclude(values, "duration", "isochrons");
    SimOptions options;
    options.seed = values["seed"].as<app::Whole<std::uint64_t>>().value;
    options.seeds = values["seeds"].as<app::Whole<std::uint64_t>>().value;
    options.json = values["json"].as<bool>();
    if (values.count("pcap") != 0) options.pcap = values["pcap"].as<std::string>();
    if (!options.pcap.empty() && options.seeds > 1)
        throw std::invalid_argument("--pcap captures one seed, and --seeds " + std::to_string(options.seeds) +
                                    " are tried; say which with --seed");
    if (options.seeds == 0) throw std::invalid_argument("--seeds 0 tries nothing; give at least 1");
    if (options.seed > UINT64_MAX - options.seeds)
        throw std::invalid_argument("--seed " + std::to_string(options.seed) + " and the " +
                                    std::to_string(options.seeds) + " of --seeds go beyond the last seed");
    Reader reader(values);
    options.hosts = reader.number("hosts", 2, kMostHosts);
    const auto switches = reader.number("switches", 1, kMostSwitches);
    if (switches && !options.hosts)
        throw std::invalid_argument("--switches needs --hosts: say how many there are on them");
    options.switches = switches.value_or(1);
    options.tree = reader.flag("tree");
    if (options.tree && (switches || !options.hosts))
        throw std::invalid_argument("--tree needs --hosts, and says itself how many switches they are on");
    options.partners = reader.number("partners", 1, kMostThatAllTalk - 1).value_or(0);
    if (options.partners != 0 && !options.hosts)
        throw std::invalid_argument("--partners needs --hosts: say how many there are to choose from");
    if (options.hosts > kMostThatAllTalk && options.partners == 0)
        throw std::invalid_argument("--hosts " + std::to_string(*options.hosts) +
                                    " needs --partners: " + std::to_string(kMostThatAllTalk) +
                                    " can all talk to each other, of more each to so many others");
    if (const auto path = reader.word("topology")) options.network = load_network(*path);
    if (const auto word = reader.word("workload")) options.workload = parse_workload(*word);
    if (const auto text = reader.word("faults")) options.faults = read_faults(*text);
    if (options.partners != 0 && options.faults && options.faults->deaths)
        throw std::invalid_argument(
            "--partners and deaths do not go together: of who has died all are told, so "
            "all have to know each other; give up to " +
            std::to_string(kMostThatAllTalk) + " --hosts");
    if (const auto text = reader.word("duration")) options.duration = parse_duration(*text);
    options.ahead = reader.number("ahead", 1, kMostAhead);
    options.isochrons = reader.number("isochrons", 1, kMostIsochrons);
    options.parts = reader.number("parts", 1, kMostParts);
    options.given = std::move(reader).given();
    return options;
}

/// Before what the user has said comes in place of what is drawn.
Scenario drawn(std::uint64_t seed, const std::optional<Faults>& faults) {
    if (!faults || !faults->deaths) return Scenario::of(seed);
    return faults->restarts ? Scenario::returning(seed) : Scenario::mortal(seed);
}

}  // namespace

Faults parse_faults(std::string_view text) {
    Faults faults;
    while (!text.empty()) {
        const std::string_view word = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), word.size() + 1));
        const std::string_view key = word.substr(0, word.find('='));
        if (word == "partitions") {
            faults.partitions = true;
        } else if (word == "deaths") {
            faults.deaths = true;
        } else if (word == "restarts") {
            faults.deaths = faults.restarts = true;
        } else if (std::ranges::find(kKinds, key) != kKinds.end() && key != word) {
            fabric::set_key(faults.worst, key, word.substr(key.size() + 1));
        } else {
            throw std::invalid_argument("'" + std::string(word) +
                                        "' is none that comes and goes: there are " + known_kinds() +
                                        " with a value, as loss=5%, and partitions, deaths and restarts");
        }
    }
    if (std::max(faults.worst.loss, faults.worst.corrupt) > kMostLoss)
        throw std::invalid_argument(
            "loss and corrupt can be 0.5 at the most, or hardly anything ever arrives");
    return faults;
}

Scenario SimOptions::scenario(std::uint64_t of) const {
    Scenario scenario = drawn(of, faults);
    if (hosts) {
        fabric::Random random(of, 5);
        scenario.set_network(tree ? three_levels(*hosts) : random_switches(random, switches, *hosts));
        scenario.partners = partners;
    } else if (!network.empty()) {
        scenario.set_network(network);
    }
    if (faults) {
        scenario.worst = faults->worst;
        scenario.partitions = faults->partitions && !faults->deaths;
        scenario.mortality.cuts = faults->partitions && faults->deaths ? 1 : 0;
    }
    scenario.traffic.workload = workload.value_or(scenario.traffic.workload);
    scenario.traffic.duration = duration.value_or(scenario.traffic.duration);
    scenario.traffic.isochrons = isochrons.value_or(scenario.traffic.isochrons);
    scenario.traffic.most_parts = parts.value_or(scenario.traffic.most_parts);
    scenario.ahead = ahead.value_or(scenario.ahead);
    return scenario;
}

std::string SimOptions::replay(std::uint64_t of) const {
    return "isoplane sim --seed " + std::to_string(of) + given;
}

std::variant<SimOptions, int> parse_sim_options(int argc, char** argv) {
    using Number = app::Whole<unsigned>;
    using Seed = app::Whole<std::uint64_t>;
    const app::Usage usage{
        "sim", "[OPTION...]",
        "Simulates networks in logical time, one for each seed, in virtual time and without a NIC: hosts\n"
        "send isochrons and signals and meet in barriers while frames are lost, repeated, reordered,\n"
        "damaged, delayed and cut off. Every event at every host is checked against the rules of logical\n"
        "time. Each seed that fails is named with the command that does exactly the same again.\n\n"
        "What is not said is drawn from the seed.\n"};
    po::options_description visible("Options");
    visible.add_options()                                                                         //
        ("hosts", po::value<Number>()->value_name("N"), "so many hosts, 2 to 4096")               //
        ("switches", po::value<Number>()->value_name("N"), "on so many switches (1), at random")  //
        ("tree", po::bool_switch(),
         "on three levels of switches, each with as many below it")  //
        ("partners", po::value<Number>()->value_name("N"),
         "others that each host talks to, from all over the network; all by default")                    //
        ("topology", po::value<std::string>()->value_name("FILE"), "the network of that fmconfig file")  //
        ("workload", po::value<std::string>()->value_name("NAME"),
         "whom isochrons go to: random hosts, pairs (each host to the next) or all")  //
        ("faults", po::value<std::string>()->value_name("LIST"),
         "the worst there is, as in loss=5%,dup=1%,delay=20us,partitions,deaths; none for \"\"")  //
        ("seed", po::value<Seed>()->value_name("S")->default_value({1}, "1"), "the first seed")(
            "seeds", po::value<Seed>()->value_name("K")->default_value({1}, "1"), "how many are tried")(
            "duration", po::value<std::string>()->value_name("TIME"),
            "each host issues isochrons for so long, in virtual time, as in 2ms")                    //
        ("isochrons", po::value<Number>()->value_name("N"), "or so many")                            //
        ("parts", po::value<Number>()->value_name("N"), "messages of an isochron, at the most")      //
        ("ahead", po::value<Number>()->value_name("H"), "tokens that are sent unprompted, 1 to 64")  //
        ("pcap", po::value<std::string>()->value_name("FILE"),
         "capture what hosts and token managers send and receive into a pcapng file; of one seed")  //
        ("json", po::bool_switch(), "print one JSON object at the end, and nothing else");
    po::variables_map values;
    if (const auto end = app::parse_options(usage, visible, argc, argv, values)) return *end;
    try {
        return assemble(values);
    } catch (const std::exception& error) {
        return app::wrong_usage(usage.name, error.what());
    }
}

}  // namespace isoplane::sim
