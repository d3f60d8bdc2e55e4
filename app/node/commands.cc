// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "commands.hh"

#include <algorithm>
#include <isoplane/runtime/json_text.hh>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace isoplane::node {

namespace {

/// The entry of a report that is called `name`, or the entry at that position.
nlohmann::json entry(const nlohmann::json& report, const std::string& name) {
    if (report.is_array()) {
        for (std::size_t i = 0; i < report.size(); ++i) {
            if (report[i].value("name", "") == name || std::to_string(i) == name) return report[i];
        }
    }
    std::string known;
    for (const auto& item : report) {
        if (item.is_object()) known += " " + item.value("name", "");
    }
    throw std::invalid_argument("nothing is called '" + name + "' here" +
                                (known.empty() ? "" : "; there is" + known));
}

std::string start(Node& node) {
    if (node.running()) return "running already\n";
    node.start();
    return "started\n";
}

std::string stop(Node& node) {
    if (!node.running()) return "stopped already\n";
    const std::size_t freed = node.stop();
    if (freed == 0) return "stopped\n";
    return "stopped; " + std::to_string(freed) + " packets could not leave and were dropped\n";
}

std::string capture_stop(Node& node) {
    const auto figures = node.captures().stop();
    if (!figures.error.empty()) throw std::runtime_error(figures.error);
    return std::to_string(figures.written) + " packets captured, " + std::to_string(figures.missed) +
           " missed\n";
}

std::vector<PromptCommand> capture_commands(Node& node) {
    using Words = std::vector<std::string>;
    const auto setting = [&node](auto set) {
        return [&node, set](const Words& words) {
            set(node.captures(), words);
            return std::string();
        };
    };
    return {
        {"capture start <file...>", "capture what passes into a pcapng file",
         [&node](const Words& words) {
             node.captures().start(words.at(2));
             return "capturing to " + words.at(2) + '\n';
         }},
        {"capture stop", "end the capture", [&node](const Words&) { return capture_stop(node); }},
        {"set capture at <places...>", "where the next one looks: links, all, link0, fabric, tm0.in,…",
         setting([](Captures& captures, const Words& words) { captures.set_places(words.at(3)); })},
        {"set capture filter <expression...>", "which packets it takes, as tcpdump does; or none",
         setting([](Captures& captures, const Words& words) { captures.set_filter(words.at(3)); })},
        {"set capture comment <text...>", "what its file says of itself; or none",
         setting([](Captures& captures, const Words& words) { captures.set_comment(words.at(3)); })},
        {"set capture ring off", "one file of any size",
         setting([](Captures& captures, const Words&) { captures.set_no_ring(); })},
        {"set capture ring <size> <files>", "files of that size, as in 10M, of which the newest stay",
         setting(
             [](Captures& captures, const Words& words) { captures.set_ring(words.at(3), words.at(4)); })},
    };
}

}  // namespace

std::string show(const runtime::Views& views, const std::vector<std::string>& words) {
    const bool json = words.back() == "json";
    nlohmann::json report = views.show(words.at(1));
    const std::size_t named = words.size() - (json ? 1 : 0);
    if (named > 2) report = entry(report, words[2]);
    return json ? runtime::json_text(report, 2) + '\n' : runtime::to_table(report);
}

std::vector<PromptCommand> common_commands(Node& node) {
    using Words = std::vector<std::string>;
    std::string names;
    for (const auto& [name, make] : node.views().all())
        names += (names.empty() ? "" : "|") + name;
    const auto show_views = [&node](const Words& words) { return show(node.views(), words); };
    std::vector<PromptCommand> commands{
        {"start", "start the stages", [&node](const Words&) { return start(node); }},
        {"stop", "bring the stages to rest", [&node](const Words&) { return stop(node); }},
        {"show " + names + " [json]", "show a report", show_views},
        {"show " + names + " <name> [json]", "show one entry of a report", show_views},
        {"clear", "set all counters to zero",
         [&node](const Words&) {
             node.clear_counters();
             return std::string();
         }},
    };
    for (PromptCommand& command : capture_commands(node))
        commands.push_back(std::move(command));
    return commands;
}

}  // namespace isoplane::node
