// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "tables.hh"

#include <algorithm>
#include <cstdio>
#include <isoplane/runtime/views.hh>
#include <nlohmann/json.hpp>

namespace isoplane::perf {

using Json = nlohmann::json;
using Lines = std::vector<std::vector<std::string>>;

std::string fixed(double value, int digits) {
    char text[32];
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return text;
}

std::string figure(double value) {
    if (!(value > 0)) return "-";
    return fixed(value, value < 10 ? 2 : value < 100 ? 1 : 0);
}

std::string figure(std::optional<double> value) {
    return value ? fixed(*value, 2) : "-";
}

std::string size_text(std::size_t size) {
    if (size >= (1U << 20) && size % (1U << 20) == 0) return std::to_string(size >> 20) + "M";
    if (size >= 1024 && size % 1024 == 0) return std::to_string(size >> 10) + "K";
    return std::to_string(size);
}

std::string table(const Results& results, const Cell& cell, Ratio ratio,
                  const std::vector<std::string>& subjects, const std::string& base) {
    std::vector<std::string> compared;
    for (const std::string& name : results.transports())
        if (std::find(subjects.begin(), subjects.end(), name) != subjects.end()) compared.push_back(name);
    Lines lines{{"bytes"}};
    for (const std::string& name : results.transports())
        lines[0].push_back(name);
    for (const std::string& name : compared)
        lines[0].push_back(name + "/" + base);
    for (const std::size_t size : results.sizes()) {
        auto& line = lines.emplace_back();
        line.push_back(size_text(size));
        for (const std::string& name : results.transports())
            line.push_back(cell(results.median(name, size), size));
        for (const std::string& name : compared)
            line.push_back(figure((results.*ratio)(name, base, size)));
    }
    return runtime::align(lines);
}

namespace {

std::string verdict(const Target& target) {
    return !target.value ? "not measured" : target.missed() ? "missed" : "met";
}

}  // namespace

std::string target_lines(const std::vector<Target>& all) {
    Lines lines{{"target", "is", "verdict"}};
    for (const Target& target : all)
        lines.push_back({target.sentence, figure(target.value), verdict(target)});
    return runtime::align(lines);
}

Json targets_json(const std::vector<Target>& all) {
    Json out = Json::array();
    for (const Target& target : all) {
        out.push_back({{"target", target.sentence},
                       {"limit", target.limit},
                       {"value", ratio_json(target.value)},
                       {"verdict", verdict(target)}});
    }
    return out;
}

Json ratio_json(std::optional<double> ratio) {
    return ratio ? Json(*ratio) : Json(nullptr);
}

}  // namespace isoplane::perf
