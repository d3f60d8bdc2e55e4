// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "replay/replay.hh"

#include <cinttypes>
#include <cstdio>
#include <isoplane/link/link.hh>
#include <isoplane/runtime/eal.hh>
#include <isoplane/runtime/json_text.hh>
#include <isoplane/runtime/overwrite.hh>
#include <isoplane/runtime/stop_signal.hh>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>

#include "../command.hh"
#include "../subcommand.hh"
#include "replay/check.hh"
#include "replay/decode.hh"
#include "replay/into.hh"
#include "replay/player.hh"
#include "replay/progress_bar.hh"
#include "replay/task.hh"

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

void say(const std::string& sentence) {
    std::fprintf(stderr, "isoplane replay: %s\n", sentence.c_str());
}

/// What was wrong with the rest of the file, after a pass.
bool is_whole(const Trace& trace) {
    if (trace.damage().empty()) return true;
    say(trace.damage() + ". What stands before that was used.");
    return false;
}

/// What has been read of it.
void show(ProgressBar& bar, const Trace& trace) {
    if (bar.due()) bar.show(trace.progress(), trace.frames(), trace.bytes());
}

int decode(const Task& task) {
    Trace trace(task.file, task.filter);
    ProgressBar bar(ProgressBar::Prints::kMeanwhile);
    for (TraceFrame frame; trace.frames() < task.limit && trace.next(frame); show(bar, trace)) {
        const std::string line =
            task.json ? runtime::json_text(to_json(trace.frames(), frame)) : to_text(trace.frames(), frame);
        if (std::puts(line.c_str()) == EOF) return app::kRunFailed;  // main() says so
    }
    bar.clear();
    return is_whole(trace) ? app::kSuccess : app::kRunFailed;
}

int check(const Task& task) {
    Trace trace(task.file, task.filter);
    Checker checker;
    ProgressBar bar(ProgressBar::Prints::kAtTheEnd);
    for (TraceFrame frame; trace.frames() < task.limit && trace.next(frame); show(bar, trace))
        checker.see(frame);
    checker.finish();
    bar.clear();
    const auto& violation = checker.violation();
    const bool good = !violation && checker.ours() != 0;
    if (task.json) {
        nlohmann::ordered_json out{{"frames", checker.frames()},     {"isoplane", checker.ours()},
                                   {"messages", checker.messages()}, {"isochrons", checker.isochrons()},
                                   {"tokens", checker.tokens()},     {"good", good},
                                   {"damage", trace.damage()}};
        if (violation) out["violation"] = {{"frame", violation->frame}, {"sentence", violation->sentence}};
        std::puts(runtime::json_text(out, 2).c_str());
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
bool play_all(const Task& task, Trace& trace, Player& player) {
    Schedule schedule(task.speed);
    std::uint64_t taken = 0;
    trace.while_waiting([&player] { return player.flush() && !player.stopped(); });
    player.begin();
    for (std::uint64_t pass = 0; task.loops == 0 || pass < task.loops; ++pass) {
        if (pass != 0) {
            schedule.again(trace.frames());
            trace.rewind();
        }
        for (TraceFrame frame; taken < task.limit && trace.next(frame); ++taken) {
            if (!player.play(frame, schedule.due(frame), schedule.timed(), task.rewrite) || player.stopped())
                return false;
        }
        if (trace.given_up()) return false;
        if (!trace.damage().empty() || taken == task.limit || trace.frames() == 0) break;
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
                                   {"too_long", played.too_long}, {"runts", played.runts},
                                   {"sealed", played.sealed},     {"kept", played.kept}};
        if (timed)
            out["late_us"] = {{"p50", late(0.5)}, {"p90", late(0.9)}, {"p99", late(0.99)}, {"p100", late(1)}};
        std::puts(runtime::json_text(out, 2).c_str());
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
    constexpr unsigned kPoolSize = 8191;
    runtime::EalOptions eal;
    eal.pci = link::pci_devices(specs);
    const runtime::Eal environment(eal);
    runtime::Pool pool("packets", kPoolSize, runtime::Pool::room_for(task.mtu));
    bool good = true;
    const auto fail = [&good](const std::string& sentence) {
        say(sentence);
        good = false;
    };
    {
        const auto link = link::open_link(specs[0], "link", {.pool = &pool, .mtu = task.mtu});
        link->start();
        await_up(*link, task.wait, signal);
        ProgressBar bar(ProgressBar::Prints::kAtTheEnd);
        Player player(link->output(), pool, task.mtu, [&] {
            if (bar.due()) bar.show(trace.progress(), player.played().frames, player.played().bytes);
            return signal.raised();
        });
        const bool whole = play_all(task, trace, player);
        bar.clear();
        is_whole(trace);
        // Who plays for ever ends it so.
        if (!whole && task.loops != 0) fail("interrupted before the end of the trace");
        const Played& played = player.finish();
        // What lies in a queue that two processes share, the other may not have taken yet.
        std::this_thread::sleep_for(100ms);
        link->stop();
        report(task, played);
        if (!link->failure().empty()) fail(link->failure());
        if (played.too_long != 0)
            fail(std::to_string(played.too_long) + " frames are longer than an MTU of " +
                 std::to_string(task.mtu) + " allows, and were not sent. Give a larger one with --mtu.");
        if (played.sealed != 0)
            fail(std::to_string(played.sealed) +
                 " frames are sealed and kept the numbers of their nodes: the tags of their trailers hold "
                 "for no "
                 "others. Use --map-node on traces of jobs without a key.");
        if (played.kept != 0)
            fail(std::to_string(played.kept) +
                 " frames kept the numbers of their nodes: --map-node makes one node of two in them, or they "
                 "tell a host that joins how things stand.");
    }
    if (pool.in_use() != 0) fail(std::to_string(pool.in_use()) + " packets did not come back to the pool");
    return good && trace.damage().empty() ? app::kSuccess : app::kRunFailed;
}

int play(const Task& task) {
    const auto specs = link::parse_links(task.to);
    if (specs.size() != 1)
        throw std::invalid_argument("--to " + task.to + " names " + std::to_string(specs.size()) +
                                    " links; a trace goes to one");
    const std::size_t comma = specs[0].target.find(',');
    if (specs[0].kind == "pcap" && comma != std::string::npos)
        runtime::refuse_to_overwrite("--to " + task.to, task.file == "-" ? "/dev/stdin" : task.file,
                                     specs[0].target.substr(comma + 1));
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

}  // namespace

int run(int argc, char** argv) {
    po::options_description visible = options();
    po::positional_options_description positional;
    positional.add("trace", 1);
    return app::run_subcommand(kUsage, visible, argc, argv, positional,
                               [](const po::variables_map& values) { return work(read_task(values)); });
}

}  // namespace isoplane::replay
