// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <isoplane/runtime/json_text.hh>
#include <isoplane/runtime/views.hh>
#include <nlohmann/json.hpp>
#include <vector>

namespace isoplane::runtime {

namespace {

using Json = nlohmann::json;
using Row = std::vector<std::pair<std::string, std::string>>;
using Lines = std::vector<std::vector<std::string>>;

/// A table wider than this is turned: a screen has more lines than it has columns.
constexpr std::size_t kWidest = 120;

std::string cell(const Json& value) {
    return value.is_string() ? value.get<std::string>() : json_text(value);
}

bool is_report(const Json& value) {
    return value.is_array() && !value.empty() &&
           std::all_of(value.begin(), value.end(), [](const Json& v) { return v.is_object(); });
}

/// What differs from row to row, and so would make a table too wide: listed below it.
constexpr std::string_view kOwnFigures = "figures";

bool names_a_row(const std::string& key) {
    return key == "name" || key == "port";
}

/// What names a row may be anything: reports of others are shown, too.
std::string name_of(const Json& object) {
    return object.contains("name") ? cell(object["name"]) : std::string();
}

/// The plain figures of an object in order, those of inner objects under joined names.
void flatten(const Json& object, const std::string& prefix, Row& row) {
    for (const auto& [key, value] : object.items()) {
        const std::string name = prefix.empty() ? key : prefix + "." + key;
        if (key == kOwnFigures) continue;
        if (value.is_object()) {
            flatten(value, name, row);
        } else if (!is_report(value)) {
            row.emplace_back(name, cell(value));
        }
    }
    // What names a row stands first, whatever the alphabet says.
    std::stable_partition(row.begin(), row.end(), [](const auto& c) { return names_a_row(c.first); });
}

/// The columns of all rows: each row has its own in this order already, and may lack some.
std::vector<std::string> columns_of(const std::vector<Row>& rows) {
    std::vector<std::string> columns;
    for (const Row& row : rows) {
        for (const auto& [name, value] : row)
            columns.push_back(name);
    }
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    std::stable_partition(columns.begin(), columns.end(), names_a_row);
    return columns;
}

/// Rows become columns and columns rows.
Lines turned(const Lines& lines) {
    Lines result(lines.front().size());
    for (const auto& line : lines) {
        for (std::size_t c = 0; c < line.size(); ++c)
            result[c].push_back(line[c]);
    }
    return result;
}

std::string render(const std::vector<Row>& rows) {
    Lines lines{columns_of(rows)};
    for (const Row& row : rows) {
        auto& line = lines.emplace_back();
        for (const std::string& column : lines.front()) {
            const auto found =
                std::find_if(row.begin(), row.end(), [&](const auto& c) { return c.first == column; });
            line.push_back(found == row.end() ? "-" : found->second);
        }
    }
    std::string text = align(lines);
    return text.find('\n') > kWidest ? align(turned(lines)) : text;
}

/// A single object reads better with one key a line.
std::string list(const Row& row) {
    std::size_t width = 0;
    for (const auto& [name, value] : row)
        width = std::max(width, name.size());
    std::string text;
    for (const auto& [name, value] : row)
        text += name + std::string(width - name.size() + 2, ' ') + value + '\n';
    return text;
}

void append_inner(const Json& object, const std::string& heading, std::string& text) {
    for (const auto& [key, value] : object.items()) {
        const std::string name = heading.empty() ? key : heading + " " + key;
        if (key == kOwnFigures) {
            Row row;
            flatten(value, "", row);
            text += '\n' + heading + ":\n" + list(row);
            append_inner(value, heading, text);
        } else if (is_report(value)) {
            text += '\n' + name + ":\n" + to_table(value);
        } else if (value.is_object()) {
            append_inner(value, name, text);
        }
    }
}

}  // namespace

std::string align(const std::vector<std::vector<std::string>>& lines) {
    static const std::string kMissing = "-";
    const std::size_t columns = lines.empty() ? 0 : lines.front().size();
    const auto cell_of = [](const auto& line, std::size_t column) -> const std::string& {
        return column < line.size() ? line[column] : kMissing;
    };
    std::vector<std::size_t> widths(columns, 0);
    for (const auto& line : lines) {
        for (std::size_t c = 0; c < columns; ++c)
            widths[c] = std::max(widths[c], cell_of(line, c).size());
    }
    std::string text;
    for (const auto& line : lines) {
        for (std::size_t c = 0; c < columns; ++c) {
            const std::string& content = cell_of(line, c);
            const std::string pad(widths[c] - content.size(), ' ');
            text += c == 0 ? content + pad : "  " + pad + content;
        }
        text += '\n';
    }
    return text;
}

std::string to_table(const Json& report) {
    std::string text;
    if (is_report(report)) {
        std::vector<Row> rows;
        for (const Json& object : report)
            flatten(object, "", rows.emplace_back());
        text = render(rows);
        for (const Json& object : report)
            append_inner(object, name_of(object), text);
    } else if (report.is_object()) {
        Row row;
        flatten(report, "", row);
        text = list(row);
        append_inner(report, "", text);
    } else if (!(report.is_array() && report.empty())) {
        text = cell(report) + '\n';
    }
    return text;
}

}  // namespace isoplane::runtime
