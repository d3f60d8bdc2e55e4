// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "node_command.hh"

#include <cstdio>
#include <isoplane/runtime/json_text.hh>
#include <nlohmann/json.hpp>
#include <thread>

#include "../command.hh"
#include "../options.hh"
#include "commands.hh"
#include "console.hh"
#include "options.hh"
#include "rates.hh"

namespace isoplane::node {

namespace {

/// A finished sender stays this long: what it sent last may still lie in memory it shares with its peer.
constexpr auto kLinger = std::chrono::milliseconds(300);

int exit_code(Console::End end, const Roles& roles) {
    switch (end) {
        case Console::End::kWrongCommand:
            return app::kWrongUsage;
        case Console::End::kFailed:
            return app::kRunFailed;
        case Console::End::kAsked:
            return app::kSuccess;
        case Console::End::kFinished:
        case Console::End::kTimeUp:
            break;
    }
    const std::string missing = roles.unfinished();
    if (missing.empty()) return app::kSuccess;
    const char* const why =
        end == Console::End::kTimeUp ? "the time is up" : "the capture files have been read";
    std::fprintf(stderr, "isoplane node: %s, and %s\n", why, missing.c_str());
    return app::kRunFailed;
}

/// What the node has to say in the end: the table of stages for people, everything for programs.
void print_result(const runtime::Views& views, bool json) {
    if (!json) {
        std::printf("%s", show(views, {"show", "stage"}).c_str());
        return;
    }
    nlohmann::json all = nlohmann::json::object();
    for (const auto& [name, make] : views.all())
        all[name] = make();
    std::printf("%s\n", runtime::json_text(all, 2).c_str());
}

class Closed {
  public:
    explicit Closed(Node& node) noexcept : node_(node) {}
    ~Closed() { node_.close(); }
    Closed(const Closed&) = delete;
    Closed& operator=(const Closed&) = delete;

  private:
    Node& node_;
};

int run_node(const NodeCommand& command) {
    const runtime::StopSignal signal;
    Node node(command.node, command.links);
    Roles roles(node, command.roles, command.placement);
    // However this ends: its stages and reports ask the roles, which are gone before it is.
    const Closed closed(node);
    node.ready(command.placement);
    roles.open();

    std::vector<PromptCommand> commands = common_commands(node);
    for (PromptCommand& c : roles.commands())
        commands.push_back(std::move(c));
    Prompt prompt(std::move(commands));
    Rates rates(node.engine());
    Console console(
        prompt, signal,
        [&] {
            std::printf("%s\n", rates.table().c_str());
            std::fflush(stdout);
        },
        [&] {
            node.watch().look(Watch::Clock::now());
            return roles.finished();
        });

    if (!command.stopped) node.start();
    ConsoleOptions options = command.console;
    options.ends = options.duration || roles.ends();
    const Console::End end = console.run(options);
    if (end == Console::End::kFinished) std::this_thread::sleep_for(kLinger);
    if (const std::size_t freed = node.stop(); freed > 0) {
        // Not a failure of ours: what a dead peer does not take has nowhere to go.
        std::fprintf(stderr, "isoplane node: %zu packets could not leave and were dropped\n", freed);
    }
    print_result(node.views(), command.json);
    std::fflush(stdout);  // a driver may end the process as it closes
    int code = exit_code(end, roles);
    for (const std::string& failure : node.close()) {
        std::fprintf(stderr, "isoplane node: %s\n", failure.c_str());
        code = app::kRunFailed;
    }
    return code;
}

}  // namespace

int run(int argc, char** argv) {
    auto parsed = parse_node_command(argc, argv);
    if (const int* code = std::get_if<int>(&parsed)) return *code;
    try {
        return run_node(std::get<NodeCommand>(parsed));
    } catch (const std::invalid_argument& error) {
        return app::wrong_usage("node", error.what());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "isoplane node: %s\n", error.what());
        return app::kRunFailed;
    }
}

}  // namespace isoplane::node
