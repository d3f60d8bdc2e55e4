// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <boost/program_options/value_semantic.hpp>
#include <charconv>
#include <isoplane/job/program_keys.hh>
#include <isoplane/job/settings.hh>
#include <isoplane/nal/over_niu.hh>
#include <isoplane/runtime/pool.hh>
#include <isoplane/topology/node_options.hh>
#include <isoplane/wire/hello.hh>
#include <set>
#include <stdexcept>
#include <string_view>

#include "environment.hh"
#include "launcher.hh"

namespace isoplane::job {

namespace {

namespace po = boost::program_options;

unsigned number(const topology::NodeConf& conf, const std::string& key, const std::string& text,
                unsigned least, unsigned most) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc{} && end == text.data() + text.size() && value >= least && value <= most)
        return value;
    throw conf.error(key, "'" + text + "' does not fit: give a whole number from " + std::to_string(least) +
                              " to " + std::to_string(most));
}

std::chrono::milliseconds seconds(const topology::NodeConf& conf, const std::string& key,
                                  const std::string& text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc{} && end == text.data() + text.size() && value >= 0.001 && value <= 86400)
        return std::chrono::milliseconds(static_cast<long>(value * 1000));
    throw conf.error(key, "'" + text + "' does not fit: give seconds, from 0.001 to 86400");
}

Progress parse_progress(const topology::NodeConf& conf, const std::string& text) {
    if (text == "inline") return Progress::kInline;
    if (text == "lcore") return Progress::kLcore;
    throw conf.error("progress", "'" + text + "' is no way to make progress: use inline or lcore");
}

bool parse_yes(const topology::NodeConf& conf, const std::string& key, const std::string& text) {
    if (text != "yes" && text != "no") throw conf.error(key, "'" + text + "' does not fit: give yes or no");
    return text == "yes";
}

void read_own(Settings& settings, const topology::NodeConf& conf) {
    std::set<std::string_view> given;
    for (const auto& [key, text] : conf.more) {
        if (!given.insert(key).second) throw conf.error(key, "it is given twice: remove one");
        if (key == "progress") settings.progress = parse_progress(conf, text);
        if (key == "mtu") settings.mtu = number(conf, key, text, wire::kMinMtu, runtime::kMaxMtu);
        if (key == "packets") settings.packets = number(conf, key, text, 1023, 1U << 24);
        if (key == "page-size") settings.page_words = number(conf, key, text, 2, 1U << 24);
        if (key == "token-manager") settings.token_manager = text;
        if (key == "max-message") settings.isotach.max_message = number(conf, key, text, 1024, 1U << 30);
        if (key == "outstanding") settings.isotach.most_outstanding = number(conf, key, text, 1, 1U << 24);
        if (key == "pulse-interval")
            settings.pulse_interval = std::chrono::microseconds(number(conf, key, text, 0, 1'000'000));
        if (key == "paranoid") settings.isotach.paranoid = parse_yes(conf, key, text);
        if (key == "trust-fcs") settings.trust_fcs = parse_yes(conf, key, text);
        if (key == "read-memory") settings.reads_memory = parse_yes(conf, key, text);
        if (key == "silence") settings.silence = seconds(conf, key, text);
        if (key == "hello-limit") settings.hello_limit = seconds(conf, key, text);
    }
    // Or time would be taken to stand still between two tokens.
    constexpr int kTokens = 4;
    const std::chrono::duration<double> heard_within{conf.survive.value_or(86400)};
    if (kTokens * settings.pulse_interval > settings.silence ||
        kTokens * settings.pulse_interval > heard_within)
        throw conf.error("pulse-interval",
                         "it is too long: give a quarter of silence at the most, and of survive");
}

}  // namespace

po::options_description program_keys() {
    po::options_description keys;
    for (const char* key :
         {"progress", "mtu", "packets", "page-size", "silence", "hello-limit", "token-manager", "max-message",
          "outstanding", "pulse-interval", "paranoid", "trust-fcs", "read-memory"})
        keys.add_options()(key, po::value<std::string>(), "");
    return keys;
}

std::vector<std::string> Settings::hosts() const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < network.topology->host_count(); ++i)
        names.push_back(network.topology->name(static_cast<topology::NodeId>(i)));
    return names;
}

namespace {

/// Hosts node0, node1, ... on one switch: what a launcher says that only counts.
topology::Topology flat(std::uint32_t hosts) {
    topology::SwitchSpec fabric;
    for (std::uint32_t i = 0; i < hosts; ++i)
        fabric.ports.push_back({topology::PortKind::kHost, "node" + std::to_string(i), 0, {}});
    return topology::Topology(std::span(&fabric, 1), "launcher");
}

/// `conf` says more than the launcher does.
Settings assemble(topology::NodeConf conf, const std::string& source,
                  const std::optional<LauncherPlace>& place) {
    Settings settings;
    read_own(settings, conf);
    if (conf.links.empty() || conf.links.size() > nal::OverNiu::kMostPlanes)
        throw topology::Error(source, {},
                              "a program needs a link: give the line link=SPEC once, or up to four times for "
                              "planes of Portals");
    if (conf.links.size() > 1 && conf.encapsulation == topology::Encapsulation::kUdp)
        throw topology::Error(
            source, {}, "there are no planes for frames in UDP: give one link, or encapsulation=ethernet");
    if (place) {
        for (std::string& link : conf.links)
            link = for_rank(link, place->rank);
    }
    settings.link = conf.links.front();
    settings.planes.assign(conf.links.begin() + 1, conf.links.end());
    std::optional<topology::Topology> counted;
    if (place && conf.fmconfig.empty() && conf.network_cfg.empty()) counted = flat(place->size);
    if (place) {
        if (!conf.id && conf.name.empty()) conf.id = static_cast<topology::NodeId>(place->rank);
        if (!conf.job_key) conf.job_key = place->job_key;
    }
    settings.network = topology::load_network(std::move(conf), std::move(counted));
    if (const topology::NodeConf& given = settings.network.conf; !given.key.empty())
        settings.key = auth::load_key(given.resolve(given.key));
    if (!settings.network.topology)
        throw topology::Error(source, {},
                              "it does not name the network: add fmconfig=FILE or network-cfg=FILE");
    const auto& id = settings.network.conf.id;
    if (!id) throw topology::Error(source, {}, "it does not say which host this is: add id=N or name=HOST");
    if (!settings.network.topology->is_host(*id))
        throw topology::Error(source, {},
                              "it says that this is node " + std::to_string(*id) + ", " +
                                  settings.network.conf.name +
                                  ", which is a token manager: give the id or name of a host");
    return settings;
}

}  // namespace

Settings load_settings(const std::string& file) {
    topology::NodeConf conf = topology::load_node_conf(file, program_keys());
    topology::refuse_options_of_node_command(conf);
    return assemble(std::move(conf), file, launcher_place());
}

bool is_in_job() {
    return !variable("ISOPLANE_CONFIG").empty() || launcher_place().has_value();
}

Settings settings_from_environment(const std::function<std::string(std::uint32_t)>& meet) {
    const auto place = launcher_place();
    if (std::string file(variable("ISOPLANE_CONFIG")); !file.empty())
        return load_settings(place ? for_rank(std::move(file), place->rank) : file);
    std::string link(variable("ISOPLANE_LINK"));
    if (place && link.empty() && meet) link = meet(place->job_key);
    if (place && !link.empty()) {
        topology::NodeConf conf;
        conf.links = {link};
        return assemble(std::move(conf), "ISOPLANE_LINK", place);
    }
    if (place) {
        throw std::runtime_error(
            "an MPI launcher started this program, but nothing says by which link it reaches the others: "
            "name it in "
            "the environment variable ISOPLANE_LINK, with %r for the rank, as in virtio:/tmp/port%r, or "
            "start the "
            "program by `isoplane run -n " +
            std::to_string(place->size) + " -- PROGRAM`");
    }
    throw std::runtime_error(
        "this program is one of a job: start it with `isoplane run -n 2 -- PROGRAM`, or name its node.conf "
        "in the "
        "environment variable ISOPLANE_CONFIG");
}

}  // namespace isoplane::job
