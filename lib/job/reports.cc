// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "reports.hh"

#include <nlohmann/json.hpp>

namespace isoplane::job {

runtime::Views Reports::views_of(Driver& driver, Network& network) {
    runtime::Views views;
    const auto add = [&views, &driver](const char* name, auto describe) {
        views.add(name, [&driver, describe] {
            nlohmann::json report;
            driver.call([&] { describe(report); });
            return report;
        });
    };
    add("niu", [&network](nlohmann::json& out) { network.describe(out); });
    if (network.portals) add("portals", [&network](nlohmann::json& out) { network.portals->describe(out); });
    if (!network.time) return views;
    add("time", [&network](nlohmann::json& out) { network.time->describe(out); });
    add("buckets", [&network](nlohmann::json& out) { network.time->isotach().describe_buckets(out); });
    return views;
}

}  // namespace isoplane::job
