// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "frame_form.hh"
#include "middle.hh"

namespace isoplane::perf {

/// What all benchmarks between two links are told.
struct Options {
    std::string link;                ///< as it was written
    std::vector<std::size_t> sizes;  ///< of messages; none where they are given
    unsigned rounds = 7;
    double duration = 0.03;      ///< seconds of each measurement
    std::string json;            ///< file to write to; "-": standard output, in place of the tables
    std::vector<unsigned> cpus;  ///< one for each side; empty: wherever the system puts them
    unsigned mtu = 1500;
    bool check = false;
};

/// The command line of a benchmark that compares transports, taken apart: `isoplane perf pair`, `portals`,
/// `active` or `channel`.
struct PairOptions : Options {
    std::string csv;
    FrameForm frames{};
    bool kernel = true;
};

/// The command line of `isoplane perf order`, taken apart.
struct OrderOptions : Options {
    std::vector<std::size_t> ahead;  ///< tokens that are sent ahead, h
    ManagerAt manager_at = ManagerAt::kHost;
    std::vector<std::string> sweeps;
    std::string csv;  ///< for the sweeps
};

/// The command line of `isoplane perf memory`, taken apart.
struct MemoryOptions : Options {
    std::vector<unsigned> writes;     ///< of an isochron
    std::vector<unsigned> variables;  ///< that updates choose from
    unsigned workers = 16;            ///< that have an update each on its way
    std::string csv;
    bool kernel = true;
};

/// Returns the exit code instead when the command is to end: after --help, or with a sentence printed about
/// what is wrong.
std::variant<PairOptions, int> parse_pair_options(int argc, char** argv);
std::variant<PairOptions, int> parse_portals_options(int argc, char** argv);
std::variant<PairOptions, int> parse_active_options(int argc, char** argv);
std::variant<PairOptions, int> parse_channel_options(int argc, char** argv);
std::variant<Options, int> parse_rfc2544_options(int argc, char** argv);
std::variant<OrderOptions, int> parse_order_options(int argc, char** argv);
std::variant<MemoryOptions, int> parse_memory_options(int argc, char** argv);

}  // namespace isoplane::perf
