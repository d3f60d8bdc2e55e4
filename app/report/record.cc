// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "record.hh"

#include <algorithm>
#include <cstdio>

namespace isoplane::report {

namespace {

std::string plain(double value) {
    char text[64];
    std::snprintf(text, sizeof text, "%.10g", value);
    return text;
}

/// A line for each value, a column for each who was measured.
Table table_of(const std::vector<Bound>& bounds) {
    Table table{.name = "bounds", .title = "What bound the rate", .lines = {{"at"}}};
    std::vector<double> ats;
    std::vector<std::string>& heads = table.lines[0];
    for (const Bound& bound : bounds) {
        if (std::ranges::find(ats, bound.at) == ats.end()) ats.push_back(bound.at);
        if (std::find(heads.begin() + 1, heads.end(), bound.by) == heads.end()) heads.push_back(bound.by);
    }
    std::ranges::sort(ats);
    for (const double at : ats) {
        std::vector<std::string> line{size_text(static_cast<std::size_t>(at))};
        for (std::size_t column = 1; column < table.lines[0].size(); ++column) {
            const auto found = std::ranges::find_if(bounds, [&](const Bound& bound) {
                return bound.at == at && bound.by == table.lines[0][column];
            });
            line.push_back(found == bounds.end() ? "-" : found->resource);
        }
        table.lines.push_back(std::move(line));
    }
    return table;
}

}  // namespace

std::string to_text(const Record& record) {
    std::string text = record.setup + "\n";
    const Environment& e = record.environment;
    text += "On " + e.at("cpu") + ", " + e.at("cores") + " cores, " + e.at("memory") + ", " + e.at("kernel") +
            ", " + e.at("dpdk") + ", isoplane " + e.at("isoplane") + "; load " + e.at("load") + ".\n";
    for (const Table& table : record.tables)
        text += "\n" + to_text(table);
    if (!record.bounds.empty()) text += "\n" + to_text(table_of(record.bounds));
    if (!record.targets.empty()) text += "\n" + to_text(table_of(record.targets));
    return text;
}

std::string csv_lines(const Record& record) {
    std::string text;
    for (const FigureName& name : record.figures.names())
        text += record.benchmark + "," + name.what + "," + name.by + "," + plain(name.at) + "," +
                name.figure + "," + plain(*record.figures.median(name)) + "," +
                std::to_string(record.figures.samples(name).size()) + "\n";
    return text;
}

std::string to_csv(const std::vector<Record>& records) {
    std::string text = "benchmark,what,by,at,figure,value,rounds\n";
    for (const Record& record : records)
        text += csv_lines(record);
    return text;
}

}  // namespace isoplane::report
