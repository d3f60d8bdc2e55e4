// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "subcommand.hh"

#include <iostream>
#include <stdexcept>

#include "command.hh"

namespace isoplane::app {

int run_subcommand(const Usage& usage, boost::program_options::options_description& visible, int argc,
                   char** argv, const boost::program_options::positional_options_description& positional,
                   const std::function<int(const boost::program_options::variables_map&)>& work) {
    boost::program_options::variables_map values;
    if (const auto end = parse_options(usage, visible, argc, argv, values, positional)) return *end;
    try {
        return work(values);
    } catch (const std::invalid_argument& error) {
        return wrong_usage(usage.name, error.what());
    } catch (const std::exception& error) {
        std::cerr << "isoplane " << usage.name << ": " << error.what() << '\n';
        return kRunFailed;
    }
}

}  // namespace isoplane::app
