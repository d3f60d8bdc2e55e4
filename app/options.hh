// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <boost/program_options.hpp>
#include <charconv>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace isoplane::app {

/// How a subcommand shows itself in `isoplane help`.
struct Usage {
    std::string_view name;       ///< the subcommand
    std::string_view arguments;  ///< after its name, such as "[OPTION...] FILE"; printed as given
    std::string_view text;       ///< what it does, ending in a newline
};

/// The value of an option that is a number without sign: Boost reads "-1" as the largest there is.
template <std::unsigned_integral T>
struct Whole {
    T value{};
};

/// How Boost reads one.
template <std::unsigned_integral T>
void validate(boost::any& target, const std::vector<std::string>& words, Whole<T>* /*type*/, int) {
    namespace po = boost::program_options;
    po::validators::check_first_occurrence(target);
    const std::string& word = po::validators::get_single_string(words);
    const char* const last = word.data() + word.size();
    Whole<T> number;
    const auto [end, error] = std::from_chars(word.data(), last, number.value);
    if (error != std::errc{} || end != last) throw po::invalid_option_value(word);
    target = number;
}

/// Parses the arguments of one subcommand; argv[0] is its name.
///
/// `visible` are the options that --help shows (--help itself is added); `positional` names those that may
/// come without a name. Fills `values` and returns nothing when the command should go on. Otherwise returns
/// the exit code it should end with: kSuccess after printing the help, kWrongUsage after a sentence that says
/// what was wrong. Options cannot be abbreviated, so that a script means the same after an option is added.
std::optional<int> parse_options(
    const Usage& usage, boost::program_options::options_description& visible, int argc, char** argv,
    boost::program_options::variables_map& values,
    const boost::program_options::positional_options_description& positional = {});

/// Prints "isoplane NAME: PROBLEM. Run ..." to standard error and returns kWrongUsage. PROBLEM may bring its
/// own full stop or question mark.
int wrong_usage(std::string_view name, std::string_view problem);

/// The value of --cpus, as in "2,3". Throws std::invalid_argument unless all are CPUs this process may use.
std::vector<unsigned> parse_cpus(const std::string& list);

}  // namespace isoplane::app
