// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "demo.hh"

#include <poll.h>
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

constexpr unsigned kMaxHosts = 64;

double since(SteadyClock::time_point begin) {
    return std::chrono::duration<double>(SteadyClock::now() - begin).count();
}

/// Shows a line a second until the time is over or somebody interrupts.
void watch(const Network& network, const runtime::StopSignal& signal, double duration, bool quiet) {
    const auto begin = SteadyClock::now();
    std::uint64_t before = 0;
    double last = 0;
    while (!signal.raised() && since(begin) < duration) {
        const double pause = std::min(1.0, duration - since(begin));
        pollfd interrupted{signal.fd(), POLLIN, 0};
        ::poll(&interrupted, 1, static_cast<int>(pause * 1000) + 1);
        const double now = since(begin);
        const std::uint64_t received = network.received();
        if (!quiet) {
            std::printf("%5.1f s   %7.3f Mframes/s   %12llu frames   latency p50 %.1f us, p99 %.1f us\n", now,
                        static_cast<double>(received - before) / (now - last) / 1e6,
                        static_cast<unsigned long long>(received),
                        static_cast<double>(network.latency(0.5)) / 1e3,
                        static_cast<double>(network.latency(0.99)) / 1e3);
            std::fflush(stdout);
        }
        before = received;
        last = now;
    }
}

int report(Network& network, unsigned hosts, double seconds, const std::vector<std::string>& complaints,
           bool json) {
    if (json) {
        const nlohmann::json result{{"hosts", hosts},
                                    {"seconds", seconds},
                                    {"sent", network.sent()},
                                    {"received", network.received()},
                                    {"dropped", network.dropped()},
                                    {"frames_per_second", static_cast<double>(network.received()) / seconds},
                                    {"latency_ns",
                                     {{"p50", network.latency(0.5)},
                                      {"p99", network.latency(0.99)},
                                      {"p999", network.latency(0.999)}}},
                                    {"complaints", complaints},
                                    {"verified", complaints.empty()}};
        std::printf("%s\n", result.dump(2).c_str());
    } else {
        for (const std::string& complaint : complaints)
            std::printf("WRONG: %s\n", complaint.c_str());
        std::printf("\n%llu frames sent, %llu received and checked, %llu dropped at full queues: %s\n",
                    static_cast<unsigned long long>(network.sent()),
                    static_cast<unsigned long long>(network.received()),
                    static_cast<unsigned long long>(network.dropped()),
                    complaints.empty() ? "every one is accounted for" : "NOT verified");
    }
    return complaints.empty() ? app::kSuccess : app::kRunFailed;
}

int run_network(unsigned hosts, double duration, bool json) {
    const runtime::StopSignal signal;
    Network network(hosts);
    if (!json)
        std::printf("%u hosts around a switch, in one process over rings; every frame is checked.\n\n",
                    hosts);
    const auto begin = SteadyClock::now();
    network.start();
    watch(network, signal, duration, json);
    const double seconds = since(begin);
    auto complaints = network.finish();
    for (std::string& failure : network.node().close())
        complaints.push_back(std::move(failure));
    return report(network, hosts, seconds, complaints, json);
}

}  // namespace

int run(int argc, char** argv) {
    po::options_description visible("Options");
    app::Whole<unsigned> wanted{3};
    double duration = 10;
    visible.add_options()                                                                 //
        ("duration", po::value(&duration)->value_name("S"), "how long, in seconds (10)")  //
        ("hosts", po::value(&wanted)->value_name("N"), "how many hosts (3)")              //
        ("json", po::bool_switch(), "print one JSON object at the end, and nothing else");
    po::variables_map values;
    const app::Usage usage{
        "demo", "[OPTION...]",
        "Runs a whole network in one process: hosts around a switch. Needs no hugepages, no root\n"
        "and no NIC. Every frame is checked; the exit code says whether all were right.\n"};
    if (const auto end = app::parse_options(usage, visible, argc, argv, values)) return *end;
    const unsigned hosts = wanted.value;
    if (hosts < 2 || hosts > kMaxHosts) {
        return app::wrong_usage("demo", "--hosts " + std::to_string(hosts) +
                                            " is out of range: it can be 2 to " + std::to_string(kMaxHosts) +
                                            ".");
    }
    if (!(duration > 0 && duration < 1e6))
        return app::wrong_usage("demo", "--duration must be a number of seconds above 0.");
    try {
        return run_network(hosts, duration, values["json"].as<bool>());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "isoplane demo: %s\n", error.what());
        return app::kRunFailed;
    }
}

}  // namespace isoplane::demo
