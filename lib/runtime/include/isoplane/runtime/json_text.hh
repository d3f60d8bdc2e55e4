// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace isoplane::runtime {

/// What a report is in JSON. Names that users give to files and links, and what they remark, may be of any
/// bytes: those that are no UTF-8 become U+FFFD here.
inline std::string json_text(const nlohmann::json& report, int indent = -1) {
    return report.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// The same of one such name.
inline std::string in_utf8(const std::string& name) {
    return nlohmann::json::parse(json_text(name)).get<std::string>();
}

}  // namespace isoplane::runtime
