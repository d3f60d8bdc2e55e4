// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// What becomes of what was measured.
#pragma once

#include <boost/program_options.hpp>
#include <optional>
#include <string>
#include <vector>

#include "../report/record.hh"

namespace isoplane::perf {

struct Outputs {
    std::string json;  ///< files; "-" is standard output, in place of the tables; empty: not wanted
    std::string csv;
    std::string page;
    std::string earlier;                   ///< the file of the run to compare with; empty: none
    std::vector<report::Record> before{};  ///< what is in it
    std::optional<double> fail_below{};
    bool check = false;

    bool tables() const noexcept { return json != "-" && csv != "-" && page != "-"; }
};

/// --json, --csv, --report, --compare, --fail-below, --check.
void describe_outputs(boost::program_options::options_description& options);
/// Throws std::invalid_argument with a sentence for what cannot be, and std::runtime_error when there is
/// nothing to compare with or a file cannot be written: before anything is measured.
Outputs read_outputs(const boost::program_options::variables_map& values);

/// What was run, as words of a command line, without the above: these say nothing about what is measured.
std::string command_of(int argc, char** argv);

/// Writes all that is wanted, and says on standard error what went wrong, what was missed and what is worse
/// than it may be. Returns the exit code. Throws std::runtime_error when a file cannot be written.
int deliver(const std::string& name, const std::vector<report::Record>& records, const Outputs& outputs);

/// Writes to the file, or to standard output when it is "-". Throws std::runtime_error.
void write_to(const std::string& file, const std::string& text);

/// Throws what write_to() would where the file cannot be opened; leaves it as it is.
void check_writable(const std::string& file);

}  // namespace isoplane::perf
