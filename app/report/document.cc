// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "document.hh"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace isoplane::report {

namespace {

const std::string kBegin = "<!-- figures: isoplane perf ";
const std::string kEnd = "<!-- end of figures -->";
const std::string kClose = " -->";

struct Marker {
    std::string command;
    std::vector<std::string> tables;
};

[[noreturn]] void refuse(std::size_t number, const std::string& what) {
    throw std::invalid_argument("line " + std::to_string(number) + " " + what +
                                "; write for example <!-- figures: isoplane perf pair: round_trip --> and " +
                                kEnd);
}

Marker marker_of(const std::string& line, std::size_t number) {
    const std::size_t colon = line.rfind(':');
    if (!line.ends_with(kClose) || colon == std::string::npos || colon < kBegin.size())
        refuse(number, "begins figures, but does not say whose and which");
    Marker marker{.command = line.substr(kBegin.size(), colon - kBegin.size()), .tables = {}};
    std::istringstream names(line.substr(colon + 1, line.size() - colon - 1 - kClose.size()));
    for (std::string name; names >> name;)
        marker.tables.push_back(name);
    if (marker.tables.empty()) refuse(number, "names no table");
    return marker;
}

/// Calls `outside(line)` for lines that stay, markers among them, and `inside(marker, lines)` for what is
/// between two of these.
template <typename Outside, typename Inside>
void walk(const std::string& text, Outside&& outside, Inside&& inside) {
    std::istringstream in(text);
    std::size_t number = 0;
    std::size_t begun = 0;
    Marker marker;
    std::string between;
    for (std::string line; std::getline(in, line);) {
        ++number;
        if (begun == 0) {
            if (line == kEnd) refuse(number, "ends figures that have not begun");
            outside(line);
            if (!line.starts_with(kBegin)) continue;
            marker = marker_of(line, number);
            begun = number;
            between.clear();
        } else if (line == kEnd) {
            inside(marker, between);
            outside(line);
            begun = 0;
        } else if (line.starts_with(kBegin)) {
            refuse(number, "begins figures within others");
        } else {
            between += line + "\n";
        }
    }
    if (begun != 0) refuse(begun, "begins figures that do not end");
}

std::string tables_of(const Record& record, const Marker& marker) {
    std::string text = "```text\n";
    for (const std::string& name : marker.tables) {
        const auto found = std::ranges::find(record.tables, name, &Table::name);
        const bool targets = name == "targets";
        if (found == record.tables.end() && !targets) {
            std::string known;
            for (const Table& table : record.tables)
                known += table.name + ", ";
            throw std::invalid_argument("isoplane perf " + marker.command + " has no table '" + name +
                                        "'; it has " + known + "and targets");
        }
        text += (&name == &marker.tables.front() ? "" : "\n") +
                to_text(targets ? table_of(record.targets) : *found);
    }
    return text + "```\n";
}

}  // namespace

std::vector<std::string> commands_in(const std::string& text) {
    std::vector<std::string> commands;
    walk(
        text, [](const std::string&) {},
        [&](const Marker& marker, const std::string&) {
            if (std::ranges::find(commands, marker.command) == commands.end())
                commands.push_back(marker.command);
        });
    return commands;
}

std::string fill_in(const std::string& text, const std::function<const Record*(const std::string&)>& run_of) {
    std::string out;
    walk(
        text, [&](const std::string& line) { out += line + "\n"; },
        [&](const Marker& marker, const std::string& between) {
            const Record* const record = run_of(marker.command);
            out += record == nullptr ? between : tables_of(*record, marker);
        });
    return out;
}

}  // namespace isoplane::report
