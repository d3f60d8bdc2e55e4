// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "command.hh"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

namespace isoplane::app {
namespace {

size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), 0U);
    for (size_t i = 0; i < a.size(); ++i) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < b.size(); ++j) {
            const size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

const Command* find(std::span<const Command> commands, std::string_view name) {
    const auto found =
        std::find_if(commands.begin(), commands.end(), [&](auto& c) { return c.name == name; });
    return found == commands.end() ? nullptr : &*found;
}

void print_help(std::span<const Command> commands) {
    std::printf(
        "Usage: isoplane COMMAND [OPTION...]\n\n"
        "A userspace dataplane on DPDK.\n\nCommands:\n");
    for (const Command& command : commands)
        std::printf("  %-12s%.*s\n", std::string(command.name).c_str(),
                    static_cast<int>(command.summary.size()), command.summary.data());
    std::printf("  %-12s%s\n\nOptions:\n  %-12s%s\n  %-12s%s\n\n%s\n", "help",
                "what a command does and its options: isoplane help COMMAND", "--help", "this text",
                "--version", "the version of isoplane and of DPDK",
                "Exit codes: 0 ok, 1 the run failed, 2 wrong usage. `isoplane doctor` checks this machine.");
}

int unknown(std::span<const Command> commands, std::string_view word) {
    const std::string_view near = nearest(commands, word);
    std::string hint = "Run `isoplane --help` for the commands there are.";
    if (!near.empty()) hint = "Did you mean `isoplane " + std::string(near) + "`? " + hint;
    std::fprintf(stderr, "isoplane: there is no command '%s'. %s\n", std::string(word).c_str(), hint.c_str());
    return kWrongUsage;
}

int help_of(std::span<const Command> commands, char* name) {
    const Command* command = find(commands, name);
    if (command == nullptr) return unknown(commands, name);
    char help[] = "--help";
    char* argv[] = {name, help, nullptr};
    return command->run(2, argv);
}

}  // namespace

std::string_view nearest(std::span<const Command> commands, std::string_view word) {
    std::string_view best;
    size_t best_distance = 3;
    for (const Command& command : commands) {
        const bool begins = word.size() >= 2 && command.name.starts_with(word);
        const size_t distance = begins ? 0 : edit_distance(command.name, word);
        if (distance >= best_distance || distance >= command.name.size()) continue;
        best_distance = distance;
        best = command.name;
    }
    return best;
}

int dispatch(std::span<const Command> commands, int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr,
                     "isoplane: no command given. Run `isoplane --help` for the commands there are.\n");
        return kWrongUsage;
    }
    const std::string_view word = argv[1];
    if (word == "--help" || word == "-h" || (word == "help" && argc == 2)) {
        print_help(commands);
        return kSuccess;
    }
    if (word == "--version" || word == "-V") {
        std::printf("isoplane %s (DPDK %s)\n", ISOPLANE_VERSION, ISOPLANE_DPDK_VERSION);
        return kSuccess;
    }
    if (word == "help") return help_of(commands, argv[2]);
    if (const Command* command = find(commands, word)) return command->run(argc - 1, argv + 1);
    return unknown(commands, word);
}

}  // namespace isoplane::app
