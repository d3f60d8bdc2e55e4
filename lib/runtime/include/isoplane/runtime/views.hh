// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace isoplane::runtime {

/// The named reports of a node: `show NAME`, the telemetry endpoint /isoplane/NAME and the metrics page all
/// read the same one. A report is an array of objects, or an object.
class Views {
  public:
    using Make = std::function<nlohmann::json()>;

    void add(const std::string& name, Make make);
    bool has(const std::string& name) const { return makers_.contains(name); }

    /// The report as it is now. May be called from any thread. `name` must exist.
    nlohmann::json show(const std::string& name) const;

    const std::map<std::string, Make>& all() const { return makers_; }

  private:
    std::map<std::string, Make> makers_;
};

/// A report as a person reads it: one aligned table, or one key a line; nested reports follow with their own
/// heading.
std::string to_table(const nlohmann::json& report);

/// Lines of cells as aligned columns, the first to the left and the others to the right; the first line heads
/// them. Short lines are filled up with "-".
std::string align(const std::vector<std::vector<std::string>>& lines);

/// All reports in Prometheus' text format. Numbers become gauges named after the path to them, strings
/// labels.
std::string to_prometheus(const Views& views);

}  // namespace isoplane::runtime
