// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "sim/sim_command.hh"

#include <cstdio>
#include <iostream>
#include <isoplane/runtime/eal.hh>
#include <isoplane/runtime/pool.hh>
#include <isoplane/runtime/stop_signal.hh>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "../command.hh"
#include "sim/large.hh"
#include "sim/options.hh"
#include "sim/trials.hh"

namespace isoplane::sim {

namespace {

runtime::EalOptions eal_options(const Room& room) {
    runtime::EalOptions options;
    options.hugepages = runtime::Hugepages::kNever;
    options.telemetry = false;
    options.memory_mb = room.memory_mb;
    return options;
}

int try_seeds(const SimOptions& options) {
    const runtime::StopSignal signal;
    const Room room = room_for(options.hosts.value_or(hosts_of(options.network)), options.partners);
    const runtime::Eal eal(eal_options(room));
    runtime::Pool pool("sim", room.packets);
    std::ostream nowhere(nullptr);
    Trials trials(pool, options.json ? nowhere : std::cout);
    for (std::uint64_t i = 0; i < options.seeds && !signal.raised(); ++i)
        trials.run(options.scenario(options.seed + i), options.replay(options.seed + i), options.pcap);
    if (options.json) {
        std::cout << trials.to_json().dump(2) << '\n';
    } else {
        trials.print_totals();
    }
    return trials.failures().empty() ? app::kSuccess : app::kRunFailed;
}

}  // namespace

int run(int argc, char** argv) {
    const auto options = parse_sim_options(argc, argv);
    if (const int* end = std::get_if<int>(&options)) return *end;
    try {
        return try_seeds(std::get<SimOptions>(options));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "isoplane sim: %s\n", error.what());
        return app::kRunFailed;
    }
}

}  // namespace isoplane::sim
