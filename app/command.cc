// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "command.hh"

#include <algorithm>
#include <cstdio>
#include <isoplane/topology/nearest.hh>
#include <string>
#include <vector>

namespace isoplane::app {
namespace {

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
    std::vector<std::string> names;
    for (const Command& command : commands)
        names.emplace_back(command.name);
    const Command* meant = find(commands, topology::nearest(word, names));
    return meant == nullptr ? std::string_view{} : meant->name;
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
