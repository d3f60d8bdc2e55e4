// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "options.hh"

#include <iostream>

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
    } catch (const po::error& error) {
        return wrong_usage(usage.name, error.what());
    }
    return std::nullopt;
}

}  // namespace isoplane::app
