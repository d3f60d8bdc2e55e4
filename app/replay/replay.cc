// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "replay/replay.hh"

#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <isoplane/link/link.hh>
#include <isoplane/runtime/eal.hh>
#include <isoplane/runtime/stop_signal.hh>
#include <isoplane/topology/fmconfig.hh>
#include <isoplane/topology/mac.hh>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include "../command.hh"
#include "../subcommand.hh"
#include "replay/check.hh"
#include "replay/decode.hh"
#include "replay/into.hh"
#include "replay/player.hh"

namespace isoplane::replay {

namespace {

namespace po = boost::program_options;
using namespace std::chrono_literals;

constexpr app::Usage kUsage{
    "replay", "[OPTION...] FILE",
    "Sends the frames of a capture to a link, with their own timing or another; or decodes them, checks "
    "them\n"
    "against what the protocol promises, or shows what a stage does with them. FILE is a pcap or pcapng file "
    "of any size, - is standard input.\n"
    "\n"
    "  isoplane replay trace.pcapng --to afpacket:eth0              as it was captured\n"
    "  isoplane replay trace.pcapng --to virtio:/tmp/s --speed max  as fast as it goes\n"
    "  isoplane replay trace.pcapng --decode                        a line for each frame\n"
    "  isoplane replay trace.pcapng --check                         a verdict, and the first frame that is "
    "wrong\n"
    "  isoplane replay trace.pcapng --into niu --node 1             what its stage does with each frame\n"};

enum class Mode : std::uint8_t { kPlay, kDecode, kCheck, kInto };

struct Task {
    Mode mode = Mode::kPlay;
    std::string file;
    std::string filter;
    std::string to;
    Speed speed;
    std::uint64_t loops = 1;  ///< 0: until it is stopped
    std::uint64_t limit = UINT64_MAX;
    unsigned mtu = 1500;
    unsigned wait = 10;
    bool json = false;
    Rewrite rewrite;
    SubjectOptions subject;
};

void say(const std::string& sentence) {
    std::fprintf(stderr, "isoplane replay: %s\n", sentence.c_str());
}

/// How much of the trace has been played, on a terminal.
class ProgressBar {
  public:
    ProgressBar() : shown_(isatty(STDERR_FILENO) == 1) {}
    ~ProgressBar() { clear(); }
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    void show(const Trace& trace, const Played& played) {
        constexpr std::uint64_t kFramesBetween = 256;
        if (!shown_ || ++calls_ % kFramesBetween != 0) return;
        const auto now = std::chrono::steady_clock::now();
        if (now < next_) return;
        next_ = now + 100ms;
        constexpr int kWidth = 40;
        const auto done = static_cast<int>(trace.progress() * kWidth);
        std::fprintf(stderr, "\r[%-*.*s] %3.0f %%  %" PRIu64 " frames ", kWidth, done,
                     "########################################", trace.progress() * 100, played.frames);
        std::fflush(stderr);
        drawn_ = true;
    }

    void clear() {
        if (drawn_) std::fputs("\r\033[K", stderr);
        drawn_ = false;
    }

  private:
    bool shown_;
    bool drawn_ = false;
    std::uint64_t calls_ = 0;
    std::chrono::steady_clock::time_point next_{};
};

wire::MacAddress parse_mac(const char* option, const std::string& word) {
    const auto mac = topology::parse_mac(word);
    if (!mac)
        throw std::invalid_argument("--" + std::string(option) + ' ' + word +
                                    " is no Ethernet address: write 02:69:73:00:00:07");
    return *mac;
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

Task read_task(const po::variables_map& values) {
    const auto word = [&](const char* name) { return values[name].as<std::string>(); };
    const auto whole = [&](const char* name) { return values[name].as<app::Whole<std::uint64_t>>().value; };
    const auto given = [&](const char* name) { return values.count(name) != 0; };
    Task task;
    if (!given("trace")) throw std::invalid_argument("there is no trace to read; name its file");
    if (given("to") + given("decode") + given("check") + given("into") != 1)
        throw std::invalid_argument(
            "say what to do with the trace: one of --to, --decode, --check and --into");
    task.mode = given("decode")  ? Mode::kDecode
                : given("check") ? Mode::kCheck
                : given("into")  ? Mode::kInto
                                 : Mode::kPlay;
    task.file = word("trace");
    task.filter = word("filter");
    task.json = given("json");
    if (given("limit")) task.limit = whole("limit");
    task.mtu = static_cast<unsigned>(std::min<std::uint64_t>(whole("mtu"), UINT16_MAX));
    if (task.mode == Mode::kInto) task.subject = read_subject(values);
    if (task.mode == Mode::kInto && task.file == "-")
        throw std::invalid_argument("--into reads the trace twice, and standard input can be read only once");
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

/// What was wrong with the rest of the file, after a pass.
bool is_whole(const Trace& trace) {
    if (trace.damage().empty()) return true;
    say(trace.damage() + ". What stands before that was used.");
    return false;
}

int decode(const Task& task) {
    Trace trace(task.file, task.filter);
    for (TraceFrame frame; trace.frames() < task.limit && trace.next(frame);) {
        const std::string line =
            task.json ? to_json(trace.frames(), frame).dump() : to_text(trace.frames(), frame);
        if (std::puts(line.c_str()) == EOF) return app::kRunFailed;  // main() says so
    }
    return is_whole(trace) ? app::kSuccess : app::kRunFailed;
}

int check(const Task& task) {
    Trace trace(task.file, task.filter);
    Checker checker;
    for (TraceFrame frame; trace.frames() < task.limit && trace.next(frame);)
        checker.see(frame);
    checker.finish();
    const auto& violation = checker.violation();
    const bool good = !violation && checker.ours() != 0;
    if (task.json) {
        nlohmann::ordered_json out{{"frames", checker.frames()},     {"isoplane", checker.ours()},
                                   {"messages", checker.messages()}, {"isochrons", checker.isochrons()},
                                   {"tokens", checker.tokens()},     {"good", good},
                                   {"damage", trace.damage()}};
        if (violation) out["violation"] = {{"frame", violation->frame}, {"sentence", violation->sentence}};
        std::puts(out.dump(2).c_str());
    } else {
        std::printf("%" PRIu64 " frames, %" PRIu64 " of isoplane: %" PRIu64 " messages, %" PRIu64
                    " isochrons, %" PRIu64 " tokens\n",
                    checker.frames(), checker.ours(), checker.messages(), checker.isochrons(),
                    checker.tokens());
        if (violation) {
            std::printf("VIOLATION in frame %" PRIu64 ": %s.\n", violation->frame,
                        violation->sentence.c_str());
        } else if (checker.ours() == 0) {
            std::puts("NOTHING TO CHECK: no frame is of isoplane.");
        } else {
            std::puts("GOOD: every frame is whole, and none contradicts another.");
        }
    }
    return is_whole(trace) && good ? app::kSuccess : app::kRunFailed;
}

void await_up(const link::Link& link, unsigned seconds, const runtime::StopSignal& signal) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    while (!link.up()) {
        if (signal.raised()) throw std::runtime_error("interrupted before the link was up");
        if (std::chrono::steady_clock::now() >= deadline)
            throw std::runtime_error("the link '" + link.spec().text + "' is not up after " +
                                     std::to_string(seconds) + " s: nobody is at its other end");
        std::this_thread::sleep_for(5ms);
    }
}

/// Plays all passes. False once it is stopped.
bool play_all(const Task& task, Trace& trace, Player& player, const runtime::StopSignal& signal) {
    ProgressBar bar;
    Schedule schedule(task.speed);
    std::uint64_t taken = 0;
    player.begin();
    for (std::uint64_t pass = 0; task.loops == 0 || pass < task.loops; ++pass) {
        if (pass != 0) {
            schedule.again(trace.frames());
            trace.rewind();
        }
        for (TraceFrame frame; taken < task.limit && trace.next(frame); ++taken) {
            if (!player.play(frame, schedule.due(frame), schedule.timed(), task.rewrite) || signal.raised())
                return false;
            bar.show(trace, player.played());
        }
        bar.clear();
        if (!is_whole(trace) || taken == task.limit || trace.frames() == 0) break;
    }
    return player.flush();
}

void report(const Task& task, const Played& played) {
    const double seconds = std::max(played.seconds, 1e-9);
    const double rate = static_cast<double>(played.frames) / seconds;
    const bool timed = Schedule(task.speed).timed();
    const double bits = 8 * static_cast<double>(played.bytes) / seconds;
    const auto late = [&](double fraction) {
        return static_cast<double>(played.late.quantile(fraction)) / 1000;
    };
    if (task.json) {
        nlohmann::ordered_json out{{"frames", played.frames},     {"bytes", played.bytes},
                                   {"seconds", played.seconds},   {"frames_per_second", rate},
                                   {"bits_per_second", bits},     {"cut", played.cut},
                                   {"too_long", played.too_long}, {"runts", played.runts}};
        if (timed)
            out["late_us"] = {{"p50", late(0.5)}, {"p90", late(0.9)}, {"p99", late(0.99)}, {"p100", late(1)}};
        std::puts(out.dump(2).c_str());
        return;
    }
    std::printf("%" PRIu64 " frames, %" PRIu64 " bytes in %.3f s: %.0f frames/s, %.3f Mbit/s\n",
                played.frames, played.bytes, played.seconds, rate, bits / 1e6);
    if (timed)
        std::printf("late by, in microseconds: median %.1f, 90 %% %.1f, 99 %% %.1f, most %.1f\n", late(0.5),
                    late(0.9), late(0.99), late(1));
    if (played.cut != 0)
        std::printf("%" PRIu64 " frames were cut when they were captured, and sent as short as that\n",
                    played.cut);
    if (played.runts != 0)
        std::printf("%" PRIu64 " frames without an Ethernet header were not sent\n", played.runts);
}

int play_on(const Task& task, Trace& trace, const std::vector<link::LinkSpec>& specs,
            const runtime::StopSignal& signal) {
    constexpr unsigned kPackets = 8191;
    runtime::EalOptions eal;
    eal.pci = link::pci_devices(specs);
    const runtime::Eal environment(eal);
    runtime::Pool pool("packets", kPackets, runtime::Pool::room_for(task.mtu));
    bool good = true;
    const auto fail = [&good](const std::string& sentence) {
        say(sentence);
        good = false;
    };
    {
        const auto link = link::open_link(specs[0], "link", {.pool = &pool, .mtu = task.mtu});
        link->start();
        await_up(*link, task.wait, signal);
        Player player(link->output(), pool, task.mtu, [&signal] { return signal.raised(); });
        // Who plays for ever ends it so.
        if (!play_all(task, trace, player, signal) && task.loops != 0)
            fail("interrupted before the end of the trace");
        const Played& played = player.finish();
        // What lies in a queue that two processes share, the other may not have taken yet.
        std::this_thread::sleep_for(100ms);
        link->stop();
        report(task, played);
        if (!link->failure().empty()) fail(link->failure());
        if (played.too_long != 0)
            fail(std::to_string(played.too_long) + " frames are longer than an MTU of " +
                 std::to_string(task.mtu) + " allows, and were not sent. Give a larger one with --mtu.");
    }
    if (pool.in_use() != 0) fail(std::to_string(pool.in_use()) + " packets did not come back to the pool");
    return good && trace.damage().empty() ? app::kSuccess : app::kRunFailed;
}

int play(const Task& task) {
    const auto specs = link::parse_links(task.to);
    if (specs.size() != 1)
        throw std::invalid_argument("--to " + task.to + " names " + std::to_string(specs.size()) +
                                    " links; a trace goes to one");
    Trace trace(task.file, task.filter);
    const runtime::StopSignal signal;
    return play_on(task, trace, specs, signal);
}

int work(const Task& task) {
    switch (task.mode) {
        case Mode::kDecode:
            return decode(task);
        case Mode::kCheck:
            return check(task);
        case Mode::kInto:
            return feed_into({task.file, task.filter, task.limit, task.json, task.mtu, task.subject});
        case Mode::kPlay:
            break;
    }
    return play(task);
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

}  // namespace

int run(int argc, char** argv) {
    po::options_description visible = options();
    po::positional_options_description positional;
    positional.add("trace", 1);
    return app::run_subcommand(kUsage, visible, argc, argv, positional,
                               [](const po::variables_map& values) { return work(read_task(values)); });
}

}  // namespace isoplane::replay
