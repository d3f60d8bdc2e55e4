// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// What all benchmarks between two links begin and end with.
#pragma once

#include <cstdio>
#include <isoplane/link/kind.hh>
#include <isoplane/runtime/eal.hh>
#include <stdexcept>
#include <string>
#include <variant>

#include "../command.hh"
#include "../options.hh"
#include "options.hh"
#include "side.hh"
#include "workers.hh"

namespace isoplane::perf {

/// The EAL with an lcore for each side.
inline runtime::EalOptions eal_options(const Options& options, const PairOfSpecs& pair) {
    runtime::EalOptions eal;
    eal.workers = 2;
    eal.cpus = options.cpus;
    eal.telemetry = false;
    eal.pci = link::pci_devices(pair.specs());
    return eal;
}

/// Sides with a CPU each have it for themselves.
inline runtime::IdlePolicy idle_policy(const Options& options) {
    return options.cpus.size() < 2 ? runtime::IdlePolicy::kYield : runtime::IdlePolicy::kSpin;
}

/// Calls `run` with what the command line says, unless that has ended the command. Returns the exit code.
template <typename Parsed, typename Run>
int run_benchmark(const std::string& name, const std::variant<Parsed, int>& parsed, Run&& run) {
    if (const int* code = std::get_if<int>(&parsed)) return *code;
    try {
        return run(std::get<Parsed>(parsed));
    } catch (const std::invalid_argument& error) {
        return app::wrong_usage(name, error.what());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "isoplane %s: %s\n", name.c_str(), error.what());
        return app::kRunFailed;
    }
}

}  // namespace isoplane::perf
