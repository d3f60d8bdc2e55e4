// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <array>
#include <fstream>
#include <stdexcept>

#include "record.hh"

namespace isoplane::report {

namespace {

using Json = nlohmann::json;

constexpr std::array kForms{"lines", "curve", "bars"};
constexpr std::array kRoles{"subject", "limit", "other"};
constexpr std::array kScales{"linear", "log"};
constexpr std::array kNotations{"number", "bytes"};

template <typename Value, std::size_t n>
std::string word_of(const std::array<const char*, n>& words, Value value) {
    return words[static_cast<std::size_t>(value)];
}

template <typename Value, std::size_t n>
Value value_of(const std::array<const char*, n>& words, const std::string& word) {
    for (std::size_t i = 0; i < n; ++i)
        if (word == words[i]) return static_cast<Value>(i);
    throw std::invalid_argument("a plot with '" + word + "', which no report knows");
}

Json json_of(std::optional<double> value) {
    return value ? Json(*value) : Json(nullptr);
}

Json json_of(const Axis& axis) {
    return {{"title", axis.title},
            {"scale", word_of(kScales, axis.scale)},
            {"notation", word_of(kNotations, axis.notation)}};
}

Axis axis_of(const Json& json) {
    return {json.at("title"), value_of<Scale>(kScales, json.at("scale")),
            value_of<Notation>(kNotations, json.at("notation"))};
}

Json json_of(const Plot& plot) {
    Json series = Json::array();
    for (const Series& one : plot.series) {
        Json dots = Json::array();
        for (const Dot& dot : one.dots)
            dots.push_back({dot.x, dot.y});
        series.push_back({{"name", one.name}, {"role", word_of(kRoles, one.role)}, {"dots", dots}});
    }
    return {{"name", plot.name},    {"title", plot.title},          {"form", word_of(kForms, plot.form)},
            {"x", json_of(plot.x)}, {"y", json_of(plot.y)},         {"series", series},
            {"note", plot.note},    {"categories", plot.categories}};
}

Plot plot_of(const Json& json) {
    Plot plot{.name = json.at("name"),
              .title = json.at("title"),
              .form = value_of<Form>(kForms, json.at("form")),
              .x = axis_of(json.at("x")),
              .y = axis_of(json.at("y")),
              .categories = json.at("categories"),
              .note = json.at("note")};
    for (const Json& one : json.at("series")) {
        Series& series = plot.series.emplace_back(
            Series{.name = one.at("name"), .role = value_of<Role>(kRoles, one.at("role"))});
        for (const Json& dot : one.at("dots"))
            series.dots.push_back({dot.at(0), dot.at(1)});
    }
    return plot;
}

Json json_of(const Figures& figures) {
    Json all = Json::array();
    for (const FigureName& name : figures.names())
        all.push_back({{"what", name.what},
                       {"by", name.by},
                       {"at", name.at},
                       {"figure", name.figure},
                       {"value", *figures.median(name)},
                       {"samples", figures.samples(name)}});
    return all;
}

Environment environment_of(const Json& json) {
    Environment environment;
    for (const Json& item : json)
        environment.set(item.at(0), item.at(1));
    return environment;
}

}  // namespace

Json to_json(const Record& record) {
    Json json = record.details;
    json["benchmark"] = record.benchmark;
    json["summary"] = record.summary;
    json["command"] = record.command;
    json["setup"] = record.setup;
    json["environment"] = record.environment.items;
    json["figures"] = json_of(record.figures);
    json["failures"] = record.failures;
    for (const char* list : {"tables", "plots", "bounds", "targets"})
        json[list] = Json::array();
    for (const Table& table : record.tables)
        json["tables"].push_back(
            {{"name", table.name}, {"title", table.title}, {"lines", table.lines}, {"note", table.note}});
    for (const Plot& plot : record.plots)
        json["plots"].push_back(json_of(plot));
    for (const Bound& bound : record.bounds)
        json["bounds"].push_back(
            {{"by", bound.by}, {"at", bound.at}, {"resource", bound.resource}, {"reason", bound.reason}});
    for (const Target& target : record.targets)
        json["targets"].push_back({{"target", target.sentence},
                                   {"limit", target.limit},
                                   {"at_most", target.at_most},
                                   {"value", json_of(target.value)},
                                   {"verdict", target.verdict()}});
    return json;
}

Json to_json(const std::vector<Record>& records) {
    if (records.size() == 1) return to_json(records.front());
    Json runs = Json::array();
    for (const Record& record : records)
        runs.push_back(to_json(record));
    return {{"runs", std::move(runs)}};
}

Record record_of(const Json& json) try {
    Record record{.benchmark = json.at("benchmark"),
                  .summary = json.at("summary"),
                  .command = json.at("command"),
                  .setup = json.at("setup"),
                  .environment = environment_of(json.at("environment")),
                  .failures = json.at("failures")};
    for (const Json& one : json.at("figures"))
        for (const double sample : one.at("samples"))
            record.figures.add({one.at("what"), one.at("by"), one.at("at").get<double>(), one.at("figure")},
                               sample);
    for (const Json& one : json.at("tables"))
        record.tables.push_back({.name = one.at("name"),
                                 .title = one.at("title"),
                                 .lines = one.at("lines"),
                                 .note = one.at("note")});
    for (const Json& one : json.at("plots"))
        record.plots.push_back(plot_of(one));
    for (const Json& one : json.at("bounds"))
        record.bounds.push_back({one.at("by"), one.at("at"), one.at("resource"), one.at("reason")});
    for (const Json& one : json.at("targets"))
        record.targets.push_back({.sentence = one.at("target"),
                                  .limit = one.at("limit"),
                                  .at_most = one.at("at_most"),
                                  .value = one.at("value").is_null()
                                               ? std::nullopt
                                               : std::optional<double>(one.at("value").get<double>())});
    return record;
} catch (const Json::exception& error) {
    throw std::invalid_argument(std::string("no record of a benchmark: ") + error.what());
}

std::vector<Record> read_records(const std::string& file) {
    std::ifstream in(file);
    if (!in) throw std::runtime_error("the file '" + file + "' cannot be read; give one that --json wrote");
    try {
        const Json json = Json::parse(in);
        if (!json.contains("runs")) return {record_of(json)};
        std::vector<Record> records;
        for (const Json& run : json.at("runs"))
            records.push_back(record_of(run));
        return records;
    } catch (const std::exception& error) {
        throw std::runtime_error("the file '" + file + "' has no figures of isoplane perf: " + error.what() +
                                 "; give one that --json wrote");
    }
}

}  // namespace isoplane::report
