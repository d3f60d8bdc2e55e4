// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "doctor.hh"

#include <iostream>

#include "../command.hh"
#include "../options.hh"
#include "checks.hh"
#include "report.hh"

namespace isoplane::doctor {
namespace po = boost::program_options;

namespace {

constexpr app::Usage kUsage{
    "doctor", "[OPTION...]",
    "Checks this machine: memory and hugepages, rights, cores, network cards, and what each kind of link "
    "needs.\n"
    "Each finding is ok, warn or fail, with the command that mends it. It changes nothing and starts "
    "nothing.\n"
    "Exits 1 when `isoplane demo` would not run here; a warning says what else would not.\n"};

}  // namespace

Findings check_all(const System& system) {
    Findings all;
    for (auto* check : {check_memory, check_rights, check_cores, check_nics, check_links}) {
        Findings some = check(system);
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

int run(int argc, char** argv) {
    po::options_description options("Options");
    options.add_options()("json", "print the findings as a JSON array");
    po::variables_map values;
    if (const auto code = app::parse_options(kUsage, options, argc, argv, values)) return *code;

    const Findings findings = check_all(System::here());
    if (values.count("json") != 0)
        print_json(std::cout, findings);
    else
        print_text(std::cout, findings);
    return default_runs(findings) ? app::kSuccess : app::kRunFailed;
}

}  // namespace isoplane::doctor
