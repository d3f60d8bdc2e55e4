// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "options.hh"

#include <algorithm>
#include <iostream>
#include <isoplane/runtime/eal.hh>
#include <isoplane/topology/nearest.hh>
#include <sstream>
#include <stdexcept>

#include "command.hh"

namespace isoplane::app {
namespace po = boost::program_options;

namespace {

constexpr int kStyle = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;

/// The first word that is neither an option nor the value of one, beyond those there is a place for.
std::string surplus_word(const po::options_description& visible, int argc, char** argv, unsigned places) {
    const auto parsed = po::command_line_parser(argc, argv).options(visible).style(kStyle).run();
    for (const po::option& option : parsed.options) {
        if (option.position_key >= static_cast<int>(places)) return option.value.at(0);
    }
    return {};
}

std::string nearest_option(const po::options_description& visible, const std::string& word) {
    std::vector<std::string> known;
    for (const auto& option : visible.options())
        known.push_back(option->long_name());
    return topology::nearest(word.substr(std::min(word.find_first_not_of('-'), word.size())), known);
}

}  // namespace

int wrong_usage(std::string_view name, std::string_view problem) {
    const bool ended = problem.ends_with('.') || problem.ends_with('?');
    std::cerr << "isoplane " << name << ": " << problem << (ended ? "" : ".") << " Run `isoplane " << name
              << " --help` for the options there are.\n";
    return kWrongUsage;
}

std::optional<int> parse_options(const Usage& usage, po::options_description& visible, int argc, char** argv,
                                 po::variables_map& values,
                                 const po::positional_options_description& positional) {
    visible.add_options()("help,h", "this text");
    try {
        po::store(
            po::command_line_parser(argc, argv).options(visible).positional(positional).style(kStyle).run(),
            values);
        if (values.count("help") != 0) {
            std::cout << "Usage: isoplane " << usage.name << ' ' << usage.arguments << "\n\n"
                      << usage.text << '\n'
                      << visible;
            return kSuccess;
        }
        po::notify(values);
    } catch (const po::too_many_positional_options_error&) {
        return wrong_usage(usage.name, "'" + surplus_word(visible, argc, argv, positional.max_total_count()) +
                                           "' is no option, nor the value of one.");
    } catch (const po::unknown_option& error) {
        const std::string meant = nearest_option(visible, error.get_option_name());
        return wrong_usage(usage.name,
                           error.what() + (meant.empty() ? "" : "; did you mean --" + meant + "?"));
    } catch (const po::error& error) {
        return wrong_usage(usage.name, error.what());
    }
    return std::nullopt;
}

std::vector<unsigned> parse_cpus(const std::string& list) {
    const std::vector<unsigned> allowed = runtime::allowed_cpus();
    std::vector<unsigned> cpus;
    std::istringstream in(list);
    for (std::string item; std::getline(in, item, ',');) {
        const auto it = std::find_if(allowed.begin(), allowed.end(),
                                     [&](unsigned c) { return std::to_string(c) == item; });
        if (it == allowed.end()) {
            std::string known;
            for (const unsigned cpu : allowed)
                known += (known.empty() ? "" : ",") + std::to_string(cpu);
            throw std::invalid_argument("--cpus names '" + item +
                                        "', which is no CPU this process may use; it may use " + known);
        }
        cpus.push_back(*it);
    }
    if (cpus.empty()) throw std::invalid_argument("--cpus names no CPU; write for example 0,1");
    return cpus;
}

}  // namespace isoplane::app
