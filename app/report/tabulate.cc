// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "tabulate.hh"

#include <cctype>

#include "markup.hh"

namespace isoplane::report {

namespace {

bool is_number(const std::string& cell) {
    return !cell.empty() && (cell == "-" || std::isdigit(static_cast<unsigned char>(cell.back())) != 0 ||
                             std::isdigit(static_cast<unsigned char>(cell.front())) != 0);
}

std::string cell_of(const std::string& cell, bool head, bool first) {
    const char* const tag = head || first ? "th" : "td";
    const std::string scope = head ? " scope=\"col\"" : first ? " scope=\"row\"" : "";
    const std::string kind = !head && !first && is_number(cell) ? " class=\"n\"" : "";
    return "<" + std::string(tag) + scope + kind + ">" + escape(cell) + "</" + tag + ">";
}

}  // namespace

std::string html_of(const Table& table, bool captioned) {
    std::string out = "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" +
                      escape(table.title) + "\"><table>";
    if (captioned) out += "<caption>" + escape(table.title) + "</caption>";
    for (std::size_t i = 0; i < table.lines.size(); ++i) {
        out += i == 0 ? "<thead><tr>" : i == 1 ? "<tbody><tr>" : "<tr>";
        for (std::size_t column = 0; column < table.lines[i].size(); ++column)
            out += cell_of(table.lines[i][column], i == 0, column == 0);
        out += i == 0 ? "</tr></thead>" : "</tr>\n";
    }
    out += (table.lines.size() > 1 ? "</tbody>" : "") + std::string("</table></div>");
    if (!table.note.empty()) out += "<p class=\"note\">" + escape(table.note) + "</p>";
    return out;
}

}  // namespace isoplane::report
