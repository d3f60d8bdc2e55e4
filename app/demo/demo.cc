// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "demo.hh"

#include <poll.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <chrono>
#include <cstdio>
#include <isoplane/runtime/stop_signal.hh>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "../command.hh"
#include "../options.hh"
#include "network.hh"

namespace isoplane::demo {

namespace {

namespace po = boost::program_options;
using SteadyClock = std::chrono::steady_clock;

struct Options {
    unsigned hosts = 3;
    double duration = 10;
    double loss = 0.01;
    bool json = false;
};

/// What all together, and each host, have done up to then.
struct Moment {
    explicit Moment(const Network& network) : all(network.figures()) {
        for (unsigned host = 0; host < network.hosts(); ++host)
            hosts.push_back(network.figures(host));
    }

    SteadyClock::time_point at = SteadyClock::now();
    Figures all;
    std::vector<Figures> hosts{};
};

double seconds_between(SteadyClock::time_point begin, SteadyClock::time_point end) {
    return std::chrono::duration<double>(end - begin).count();
}

/// How a run went, beside what the network has counted: the hosts have found each other before `begin`, and
/// what is under way at the end is executed after it.
struct Outcome {
    Moment begin;
    Moment end;
    std::vector<std::string> complaints{};

    double seconds() const { return seconds_between(begin.at, end.at); }
};

struct Rates {
    double isochrons = 0;
    double pulses = 0;
};

Rates per_second(const Figures& before, const Figures& after, double seconds) {
    return {.isochrons = static_cast<double>(after.isochrons - before.isochrons) / seconds,
            .pulses = static_cast<double>(after.pulses - before.pulses) / seconds};
}

double microseconds(std::uint64_t ns) {
    return static_cast<double>(ns) / 1e3;
}

/// 1234567 as 1,234,567.
std::string grouped(std::uint64_t number) {
    std::string text = std::to_string(number);
    for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3)
        text.insert(static_cast<std::size_t>(at), 1, ',');
    return text;
}

std::string grouped(double number) {
    return grouped(static_cast<std::uint64_t>(number));
}

void introduce(const Options& options) {
    std::printf(
        "%u hosts around a software switch that loses %g %% of all frames, in one process; the token "
        "manager\n"
        "is at the switch. Each host issues isochrons: up to %u messages to any of the hosts, itself "
        "included,\n"
        "that all execute at one logical time. They also send signals, and meet in barriers. Every message "
        "is\n"
        "checked as it is executed, and in the end each host's sequence is compared with all others.\n\n",
        options.hosts, options.loss * 100, Script::kMost);
    std::fflush(stdout);
}

/// Shows a line a second until the time is over or somebody interrupts, and returns when that was.
Moment watch(const Network& network, const runtime::StopSignal& signal, const Options& options,
             const Moment& begin) {
    Moment last = begin;
    do {
        const double left = options.duration - seconds_between(begin.at, SteadyClock::now());
        pollfd interrupted{signal.fd(), POLLIN, 0};
        ::poll(&interrupted, 1, static_cast<int>(std::clamp(left, 0.0, 1.0) * 1000) + 1);
        const Moment now(network);
        if (!options.json) {
            const Rates rates = per_second(last.all, now.all, seconds_between(last.at, now.at));
            std::printf(
                "%5.1f s %9s isochrons/s %9s pulses/s   executed after %.0f us, 99 %% within %.0f us\n",
                seconds_between(begin.at, now.at), grouped(rates.isochrons).c_str(),
                grouped(rates.pulses).c_str(), microseconds(network.latency(0.5)),
                microseconds(network.latency(0.99)));
            std::fflush(stdout);
        }
        last = now;
    } while (!signal.raised() && seconds_between(begin.at, last.at) < options.duration);
    return last;
}

void print_table(const Network& network, const Outcome& outcome) {
    std::printf("\n%8s %12s %12s %10s %12s %12s %12s\n", "", "isochrons", "isochrons/s", "pulses/s",
                "messages", "frames lost", "sent again");
    const auto line = [&](const std::string& name, const Figures& figures, const Figures& before,
                          const Figures& after) {
        const Rates rates = per_second(before, after, outcome.seconds());
        std::printf("%8s %12s %12s %10s %12s %12s %12s\n", name.c_str(), grouped(figures.isochrons).c_str(),
                    grouped(rates.isochrons).c_str(), grouped(rates.pulses).c_str(),
                    grouped(figures.messages).c_str(), grouped(figures.lost).c_str(),
                    grouped(figures.sent_again).c_str());
    };
    for (unsigned host = 0; host < network.hosts(); ++host)
        line("host " + std::to_string(host), network.figures(host), outcome.begin.hosts[host],
             outcome.end.hosts[host]);
    line("all", network.figures(), outcome.begin.all, outcome.end.all);
}

void print_verdict(const Network& network, const Outcome& outcome) {
    for (const std::string& complaint : outcome.complaints)
        std::printf("\nWRONG: %s.", complaint.c_str());
    if (!outcome.complaints.empty()) {
        std::printf("\n\nNOT VERIFIED\n");
        return;
    }
    const Figures all = network.figures();
    std::printf(
        "\nVERIFIED: every isochron whole, and all %u hosts in one order: %s isochrons, %s messages,\n"
        "%s signals and %s barriers.\n",
        network.hosts(), grouped(all.isochrons).c_str(), grouped(all.messages).c_str(),
        grouped(network.signals()).c_str(), grouped(network.barriers()).c_str());
}

void print_json(const Network& network, const Options& options, const Outcome& outcome) {
    const Figures all = network.figures();
    const Rates rates = per_second(outcome.begin.all, outcome.end.all, outcome.seconds());
    const nlohmann::json result{
        {"hosts", options.hosts},
        {"loss", options.loss},
        {"seconds", outcome.seconds()},
        {"isochrons", all.isochrons},
        {"isochrons_per_second", rates.isochrons},
        {"messages", all.messages},
        {"signals", network.signals()},
        {"barriers", network.barriers()},
        {"pulses_per_second", rates.pulses},
        {"frames_lost", all.lost},
        {"sent_again", all.sent_again},
        {"latency_ns",
         {{"p50", network.latency(0.5)}, {"p99", network.latency(0.99)}, {"p999", network.latency(0.999)}}},
        {"complaints", outcome.complaints},
        {"verified", outcome.complaints.empty()}};
    std::printf("%s\n", result.dump(2).c_str());
}

int run_network(const Options& options) {
    const runtime::StopSignal signal;
    Network network(options.hosts, options.loss);
    if (!options.json) introduce(options);
    network.start([&signal] { return signal.raised(); });
    const Moment begin(network);
    Outcome outcome{.begin = begin, .end = watch(network, signal, options, begin)};
    outcome.complaints = network.finish();
    if (options.json) {
        print_json(network, options, outcome);
    } else {
        print_table(network, outcome);
        print_verdict(network, outcome);
    }
    return outcome.complaints.empty() ? app::kSuccess : app::kRunFailed;
}

}  // namespace

int run(int argc, char** argv) {
    po::options_description visible("Options");
    app::Whole<unsigned> hosts{3};
    Options options;
    const std::string how_many = "how many hosts, 2 to " + std::to_string(kMostHosts) + " (3)";
    visible.add_options()                                                                         //
        ("duration", po::value(&options.duration)->value_name("S"), "how long, in seconds (10)")  //
        ("hosts", po::value(&hosts)->value_name("N"), how_many.c_str())                           //
        ("loss", po::value(&options.loss)->value_name("P"),
         "what part of all frames the switch loses (0.01)")  //
        ("json", po::bool_switch(&options.json), "print one JSON object at the end, and nothing else");
    po::variables_map values;
    const app::Usage usage{
        "demo", "[OPTION...]",
        "Runs a whole network in logical time in one process: hosts around a switch that loses frames,\n"
        "with a token manager. Needs no hugepages, no root and no NIC. Hosts issue isochrons, and what\n"
        "each executes is checked and compared; the exit code says whether all were right.\n"};
    if (const auto end = app::parse_options(usage, visible, argc, argv, values)) return *end;
    options.hosts = hosts.value;
    if (options.hosts < 2 || options.hosts > kMostHosts) {
        return app::wrong_usage("demo", "--hosts " + std::to_string(options.hosts) +
                                            " is out of range: it can be 2 to " + std::to_string(kMostHosts) +
                                            ".");
    }
    if (!(options.duration > 0 && options.duration < 1e6))
        return app::wrong_usage("demo", "--duration must be a number of seconds above 0.");
    if (!(options.loss >= 0 && options.loss <= 0.5))
        return app::wrong_usage("demo",
                                "--loss must be a number from 0 to 0.5, as in 0.01 for one in a hundred.");
    try {
        return run_network(options);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "isoplane demo: %s\n", error.what());
        return app::kRunFailed;
    }
}

}  // namespace isoplane::demo
