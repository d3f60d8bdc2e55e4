// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "document.hh"

#include <algorithm>
#include <array>
#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "drawing.hh"

namespace isoplane::report {

namespace {

enum class Kind : std::uint8_t { kFigures, kPlots };

struct Signs {
    Kind kind;
    const char* what;
    std::string begin;
    std::string end;
};
const std::array<Signs, 2> kSigns{
    Signs{Kind::kFigures, "figures", "<!-- figures: isoplane perf ", "<!-- end of figures -->"},
    Signs{Kind::kPlots, "plots", "<!-- plots: isoplane perf ", "<!-- end of plots -->"}};
const std::string kClose = " -->";

struct Marker {
    const Signs* signs = nullptr;
    std::string command;
    std::vector<std::string> names;  ///< of tables, or plots
};

[[noreturn]] void refuse(std::size_t number, const std::string& what) {
    throw std::invalid_argument("line " + std::to_string(number) + " " + what +
                                "; write for example <!-- figures: isoplane perf pair: round_trip --> and " +
                                kSigns[0].end);
}

Marker marker_of(const Signs& signs, const std::string& line, std::size_t number) {
    const std::size_t colon = line.rfind(':');
    if (!line.ends_with(kClose) || colon == std::string::npos || colon < signs.begin.size())
        refuse(number, "begins " + std::string(signs.what) + ", but does not say whose and which");
    Marker marker{
        .signs = &signs, .command = line.substr(signs.begin.size(), colon - signs.begin.size()), .names = {}};
    std::istringstream names(line.substr(colon + 1, line.size() - colon - 1 - kClose.size()));
    for (std::string name; names >> name;)
        marker.names.push_back(name);
    if (marker.names.empty()) refuse(number, "names none of them");
    return marker;
}

/// Whose lines begin or end something here; nullptr for prose.
const Signs* beginning(const std::string& line) {
    const auto* const found =
        std::ranges::find_if(kSigns, [&](const Signs& signs) { return line.starts_with(signs.begin); });
    return found == kSigns.end() ? nullptr : found;
}
const Signs* ending(const std::string& line) {
    const auto* const found = std::ranges::find(kSigns, line, &Signs::end);
    return found == kSigns.end() ? nullptr : found;
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
        const Signs* const begins = beginning(line);
        const Signs* const ends = ending(line);
        if (begins != nullptr && begun != 0)
            refuse(number, "begins " + std::string(begins->what) + " within others");
        if (ends != nullptr && (begun == 0 || ends != marker.signs))
            refuse(number, "ends " + std::string(ends->what) + " that have not begun");
        if (begun != 0 && ends == nullptr) {
            between += line + "\n";
            continue;
        }
        if (ends != nullptr) inside(marker, between);
        outside(line);
        begun = 0;
        if (begins == nullptr) continue;
        marker = marker_of(*begins, line, number);
        begun = number;
        between.clear();
    }
    if (begun != 0) refuse(begun, "begins " + std::string(marker.signs->what) + " that do not end");
}

[[noreturn]] void refuse_name(const Marker& marker, const char* what, const std::string& name,
                              const std::string& known) {
    throw std::invalid_argument("isoplane perf " + marker.command + " has no " + what + " '" + name +
                                "'; it has " + known);
}

template <typename Named>
std::string names_of(const std::vector<Named>& all) {
    std::string names;
    for (const Named& one : all)
        names += one.name + ", ";
    return names;
}

std::string tables_of(const Record& record, const Marker& marker) {
    std::string text = "```text\n";
    for (const std::string& name : marker.names) {
        const auto found = std::ranges::find(record.tables, name, &Table::name);
        const bool targets = name == "targets";
        if (found == record.tables.end() && !targets)
            refuse_name(marker, "table", name, names_of(record.tables) + "and targets");
        text += (&name == &marker.names.front() ? "" : "\n") +
                to_text(targets ? table_of(record.targets) : *found);
    }
    return text + "```\n";
}

std::vector<Plot> plots_of(const Record& record, const Marker& marker) {
    std::vector<Plot> plots;
    for (const std::string& name : marker.names) {
        const auto found = std::ranges::find(record.plots, name, &Plot::name);
        if (found == record.plots.end())
            refuse_name(marker, "plot", name, names_of(record.plots) + "and no more");
        if (found->form == Form::kBars)
            throw std::invalid_argument("the plot '" + name + "' of isoplane perf " + marker.command +
                                        " is of bars, which have no file of their own");
        plots.push_back(*found);
    }
    return plots;
}

/// The file of an image, as ![what it shows](file.svg).
std::string file_in(const Marker& marker, const std::string& between) {
    const std::size_t begin = between.find("](");
    const std::size_t end = between.find(')', begin);
    if (begin == std::string::npos || end == std::string::npos)
        throw std::invalid_argument("between the plots of isoplane perf " + marker.command +
                                    " there is no image; write one, as ![what it shows](file.svg)");
    return between.substr(begin + 2, end - begin - 2);
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
            const bool tables = record != nullptr && marker.signs->kind == Kind::kFigures;
            out += tables ? tables_of(*record, marker) : between;
        });
    return out;
}

std::vector<Image> images_of(const std::string& text,
                             const std::function<const Record*(const std::string&)>& run_of) {
    std::vector<Image> images;
    walk(
        text, [](const std::string&) {},
        [&](const Marker& marker, const std::string& between) {
            if (marker.signs->kind != Kind::kPlots) return;
            std::string file = file_in(marker, between);
            if (const Record* const record = run_of(marker.command))
                images.push_back({std::move(file), draw_file(plots_of(*record, marker))});
        });
    return images;
}

}  // namespace isoplane::report
