// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "report.hh"

#include <algorithm>
#include <iomanip>
#include <isoplane/runtime/json_text.hh>
#include <nlohmann/json.hpp>
#include <ostream>

namespace isoplane::doctor {
namespace {

const char* name_of(Status status) {
    switch (status) {
        case Status::kOk:
            return "ok";
        case Status::kWarn:
            return "warn";
        case Status::kFail:
            return "fail";
    }
    return "fail";
}

}  // namespace

bool default_runs(const Findings& findings) {
    return std::none_of(findings.begin(), findings.end(),
                        [](const Finding& f) { return f.status == Status::kFail; });
}

void print_text(std::ostream& out, const Findings& findings) {
    size_t width = 0;
    for (const Finding& finding : findings)
        width = std::max(width, finding.check.size());

    std::string area;
    for (const Finding& finding : findings) {
        if (finding.area != area) {
            area = finding.area;
            out << area << '\n';
        }
        out << "  " << std::left << std::setw(6) << name_of(finding.status)
            << std::setw(static_cast<int>(width) + 2) << finding.check << finding.text << '\n';
        if (!finding.mend.empty()) out << std::string(width + 10, ' ') << "-> " << finding.mend << '\n';
    }

    const auto warnings = std::count_if(findings.begin(), findings.end(),
                                        [](const Finding& f) { return f.status == Status::kWarn; });
    out << '\n'
        << (default_runs(findings) ? "isoplane demo runs here"
                                   : "isoplane demo would not run here: mend what failed")
        << "; " << warnings << (warnings == 1 ? " warning" : " warnings") << ".\n";
}

void print_json(std::ostream& out, const Findings& findings) {
    auto all = nlohmann::ordered_json::array();
    for (const Finding& finding : findings) {
        nlohmann::ordered_json entry{{"area", finding.area},
                                     {"check", finding.check},
                                     {"status", name_of(finding.status)},
                                     {"finding", finding.text},
                                     {"mend", nullptr}};
        if (!finding.mend.empty()) entry["mend"] = finding.mend;
        all.push_back(entry);
    }
    out << runtime::json_text(all, 2) << '\n';
}

}  // namespace isoplane::doctor
