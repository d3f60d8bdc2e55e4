// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "replay/task.hh"

#include <algorithm>
#include <filesystem>
#include <isoplane/topology/fmconfig.hh>
#include <isoplane/topology/mac.hh>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../command.hh"
#include "../options.hh"

namespace isoplane::replay {

namespace po = boost::program_options;

namespace {

constexpr std::pair<const char*, Mode> kModes[] = {
    {"to", Mode::kPlay}, {"decode", Mode::kDecode}, {"check", Mode::kCheck}, {"into", Mode::kInto}};

wire::MacAddress parse_mac(const char* option, const std::string& word) {
    const auto mac = topology::parse_mac(word);
    if (!mac)
        throw std::invalid_argument("--" + std::string(option) + ' ' + word +
                                    " is no Ethernet address: write 02:69:73:00:00:07");
    return *mac;
}

/// An option, and those of which it needs one. What it would not change is not to be asked for.
struct Belongs {
    const char* option;
    std::vector<const char*> to;
};

void refuse_idle_options(const po::variables_map& values, const std::string& mode) {
    const Belongs of_some[] = {{"speed", {"to"}},           {"loop", {"to"}},     {"source-mac", {"to"}},
                               {"destination-mac", {"to"}}, {"map-node", {"to"}}, {"wait", {"to"}},
                               {"mtu", {"to", "into"}},     {"node", {"into"}},   {"fmconfig", {"into"}},
                               {"tokens-ahead", {"into"}}};
    for (const auto& [option, modes] : of_some) {
        const bool given = values.count(option) != 0 && !values[option].defaulted();
        if (!given || std::ranges::find(modes, mode) != modes.end()) continue;
        std::string needed;
        for (const char* each : modes)
            needed += (needed.empty() ? "--" : " or --") + std::string(each);
        throw std::invalid_argument("--" + std::string(option) + " does nothing with --" + mode +
                                    ", only with " + needed);
    }
}

SubjectOptions read_subject(const po::variables_map& values) {
    const std::string layer = values["into"].as<std::string>();
    if (layer != "niu" && layer != "siu" && layer != "tm")
        throw std::invalid_argument(
            "--into " + layer +
            " is no stage: niu takes frames and messages, siu logical time with them, "
            "tm is a token manager");
    if (values.count("node") == 0)
        throw std::invalid_argument("--into " + layer + " needs the number of the node: --node N");
    SubjectOptions subject;
    subject.layer = layer == "niu" ? Layer::kNiu : layer == "siu" ? Layer::kSiu : Layer::kTm;
    subject.node = values["node"].as<app::Whole<std::uint16_t>>().value;
    subject.ahead = values["tokens-ahead"].as<app::Whole<std::uint32_t>>().value;
    if (values.count("fmconfig") != 0)
        subject.network = topology::load_fmconfig(values["fmconfig"].as<std::string>());
    return subject;
}

}  // namespace

Task read_task(const po::variables_map& values) {
    const auto word = [&](const char* name) { return values[name].as<std::string>(); };
    const auto whole = [&](const char* name) { return values[name].as<app::Whole<std::uint64_t>>().value; };
    const auto given = [&](const char* name) { return values.count(name) != 0; };
    Task task;
    if (!given("trace")) throw std::invalid_argument("there is no trace to read; name its file");
    if (given("to") + given("decode") + given("check") + given("into") != 1)
        throw std::invalid_argument(
            "say what to do with the trace: one of --to, --decode, --check and --into");
    for (const auto& [name, mode] : kModes) {
        if (!given(name)) continue;
        task.mode = mode;
        refuse_idle_options(values, name);
    }
    task.file = word("trace");
    task.filter = word("filter");
    task.json = given("json");
    if (given("limit")) task.limit = whole("limit");
    if (whole("mtu") > runtime::kMaxMtu)
        throw std::invalid_argument("--mtu " + std::to_string(whole("mtu")) +
                                    " is out of range: it can be at most " +
                                    std::to_string(runtime::kMaxMtu));
    task.mtu = static_cast<unsigned>(whole("mtu"));
    if (task.mode == Mode::kInto) task.subject = read_subject(values);
    if (task.mode == Mode::kInto && (task.file == "-" || std::filesystem::is_fifo(task.file)))
        throw std::invalid_argument(
            "--into reads the trace twice, and what comes from another program can be read only once; give a "
            "file");
    if (task.mode != Mode::kPlay) return task;
    task.to = word("to");
    task.speed = parse_speed(word("speed"));
    task.loops = whole("loop");
    task.wait = static_cast<unsigned>(std::min<std::uint64_t>(whole("wait"), UINT16_MAX));
    if (task.file == "-" && task.loops != 1)
        throw std::invalid_argument("--loop: standard input can be read only once");
    if (given("source-mac")) task.rewrite.source = parse_mac("source-mac", word("source-mac"));
    if (given("destination-mac"))
        task.rewrite.destination = parse_mac("destination-mac", word("destination-mac"));
    if (given("map-node"))
        for (const std::string& pair : values["map-node"].as<std::vector<std::string>>())
            task.rewrite.add_node(pair);
    return task;
}

po::options_description options() {
    using Number = app::Whole<std::uint64_t>;
    const auto number = [](std::uint64_t value) {
        return po::value<Number>()->default_value({value}, std::to_string(value));
    };
    po::options_description visible("Options");
    visible.add_options()                                                                                 //
        ("trace", po::value<std::string>()->value_name("FILE"), "the trace, where it has no other name")  //
        ("to", po::value<std::string>()->value_name("SPEC"), "send the frames to this link")              //
        ("decode", "print a line for each frame")                                                         //
        ("check", "print a verdict: checksums, sequences, credit, isochrons and tokens")                  //
        ("into", po::value<std::string>()->value_name("STAGE"),
         "print what a stage of --node does with what that node received: niu, siu or tm")  //
        ("node", po::value<app::Whole<std::uint16_t>>()->value_name("N"), "its number")     //
        ("fmconfig", po::value<std::string>()->value_name("FILE"),
         "the network it is in (one switch with all hosts)")  //
        ("tokens-ahead", po::value<app::Whole<std::uint32_t>>()->default_value({1}, "1")->value_name("N"),
         "tokens that each node of that sends unprompted")                             //
        ("json", "print JSON: an object for each frame, the verdict, or the figures")  //
        ("filter", po::value<std::string>()->value_name("EXPRESSION")->default_value("", "all"),
         "take the frames that tcpdump would")                                       //
        ("limit", po::value<Number>()->value_name("N"), "end after so many frames")  //
        ("speed", po::value<std::string>()->value_name("SPEED")->default_value("original"),
         "original, max, 2x, 1000pps or 1Gbit")                                                           //
        ("loop", number(1)->value_name("N"), "play it so often; 0 until it is stopped")                   //
        ("source-mac", po::value<std::string>()->value_name("MAC"), "send all frames from this address")  //
        ("destination-mac", po::value<std::string>()->value_name("MAC"),
         "send all frames to this address")  //
        ("map-node", po::value<std::vector<std::string>>()->value_name("A=B"),
         "what was node A is node B; may be repeated")                                      //
        ("mtu", number(1500)->value_name("BYTES"), "largest Ethernet payload of the link")  //
        ("wait", number(10)->value_name("S"), "seconds for the link to come up");
    return visible;
}

}  // namespace isoplane::replay
