// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "page.hh"

#include "drawing.hh"
#include "markup.hh"
#include "style.hh"
#include "tabulate.hh"

namespace isoplane::report {

namespace {

std::string element(const char* tag, const std::string& text, const char* style = nullptr) {
    return "<" + std::string(tag) + (style != nullptr ? " class=\"" + std::string(style) + "\"" : "") + ">" +
           escape(text) + "</" + tag + ">\n";
}

std::string environment_of(const Environment& environment) {
    std::string out = "<dl>\n";
    for (const auto& [name, value] : environment.items)
        out += "<div><dt>" + escape(name) + "</dt><dd>" + escape(value) + "</dd></div>\n";
    return out + "</dl>\n";
}

std::string targets_of(const Record& record) {
    if (record.targets.empty()) return {};
    std::string out =
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Targets\"><table "
        "class=\"verdicts\">"
        "<thead><tr><th scope=\"col\">target</th><th scope=\"col\">is</th><th "
        "scope=\"col\">verdict</th></tr></thead>"
        "<tbody>\n";
    for (const Target& target : record.targets) {
        const char* const style = !target.value ? "" : target.missed() ? "missed" : "met";
        out += "<tr><th scope=\"row\">" + escape(target.sentence) + "</th><td class=\"n\">" +
               figure(target.value) + "</td><td class=\"" + style + "\">" + target.verdict() + "</td></tr>\n";
    }
    return out + "</tbody></table></div>\n";
}

/// Each resource once, with who was bound by it and by what that is known.
std::string bounds_of(const Record& record) {
    if (record.bounds.empty()) return {};
    Table table{.name = "bounds",
                .title = "What bound the rate",
                .lines = {{"measured", "at", "bound by", "because"}}};
    for (const Bound& bound : record.bounds)
        table.lines.push_back(
            {bound.by, size_text(static_cast<std::size_t>(bound.at)), bound.resource, bound.reason});
    return "<details><summary>What bound the rate</summary>" + html_of(table, false) + "</details>\n";
}

std::string section_of(const Record& record, const std::string& id) {
    Looks looks;
    std::string out = "<section id=\"" + id + "\" aria-labelledby=\"" + id + "-h\">\n<h2 id=\"" + id +
                      "-h\">" + escape(record.benchmark) + "</h2>\n" + element("p", record.summary, "lead");
    out += "<code class=\"command\">" + escape(record.command) + "</code>\n" + element("p", record.setup);
    for (const std::string& failure : record.failures)
        out += element("p", failure, "failures");
    out += targets_of(record);
    if (!record.plots.empty()) {
        out += "<div class=\"plots\">\n";
        for (std::size_t i = 0; i < record.plots.size(); ++i)
            out += draw(record.plots[i], id + "-" + std::to_string(i), looks);
        out += "</div>\n";
    }
    out += bounds_of(record);
    if (!record.tables.empty()) {
        out += "<details><summary>All tables</summary>\n";
        for (const Table& table : record.tables)
            out += html_of(table, true) + "\n";
        out += "</details>\n";
    }
    return out + "</section>\n";
}

std::string section_of(const Comparison& comparison) {
    std::string out =
        "<section id=\"compared\" aria-labelledby=\"compared-h\">\n<h2 id=\"compared-h\">Compared with an "
        "earlier run</h2>\n" +
        element("p", summary_of(comparison));
    if (comparison.significant() > 0) out += html_of(table_of(comparison, false), true) + "\n";
    if (comparison.changes.size() > comparison.significant())
        out += "<details><summary>All figures</summary>" + html_of(table_of(comparison, true), false) +
               "</details>\n";
    return out + "</section>\n";
}

std::string navigation(const std::vector<Record>& records, bool compared) {
    if (records.size() < 2) return {};
    std::string out = "<nav aria-label=\"Benchmarks\"><ul>\n";
    if (compared) out += "<li><a href=\"#compared\">Compared</a></li>\n";
    for (std::size_t i = 0; i < records.size(); ++i)
        out += "<li><a href=\"#b" + std::to_string(i) + "\">" +
               escape(records[i].command.substr(records[i].command.find("perf ") + 5)) + "</a></li>\n";
    return out + "</ul></nav>\n";
}

}  // namespace

std::string to_page(const std::vector<Record>& records, const std::optional<Comparison>& comparison) {
    const Environment& environment = records.front().environment;
    std::string title = "isoplane perf";
    if (records.size() == 1) title += " " + records.front().benchmark;
    std::string out =
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'unsafe-inline'; img-src "
        "data:\">\n<link rel=\"icon\" href=\"data:,\">\n<title>" +
        escape(title) + "</title>\n<style>" + kPlotStyle + kPageStyle +
        "</style>\n</head>\n<body>\n<header>\n<h1>" + escape(title) + "</h1>\n";
    out += element("p", environment.at("cpu") + ", " + environment.at("time"), "lead");
    out += navigation(records, comparison.has_value()) + environment_of(environment) + "</header>\n<main>\n";
    if (comparison) out += section_of(*comparison);
    for (std::size_t i = 0; i < records.size(); ++i)
        out += section_of(records[i], "b" + std::to_string(i));
    return out + "</main>\n</body>\n</html>\n";
}

}  // namespace isoplane::report
