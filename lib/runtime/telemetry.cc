// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <rte_telemetry.h>

#include <isoplane/runtime/json_text.hh>
#include <isoplane/runtime/telemetry.hh>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

namespace isoplane::runtime {

namespace {

using Json = nlohmann::json;

/// What the callbacks serve. rte_telemetry passes no user data and cannot unregister, hence a global.
const Views* served = nullptr;
std::mutex served_mutex;

/// What rte_telemetry says at once, less what it puts around it. Entries that have no room in it it leaves
/// out, without a word.
constexpr std::size_t kMostSaid = (std::size_t{1} << 14) - 256;
constexpr const char* kIncomplete = "not all has room here; ask for one entry, by its name behind a comma";

rte_tel_data* container(const Json& value);

/// rte_telemetry drops an entry whose name has anything but these, without a word: a host "node-1" is shown
/// as "node_1".
std::string telemetry_name(std::string name) {
    for (char& c : name) {
        const bool kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                          c == '_' || c == '/';
        if (!kept) c = '_';
    }
    return name.substr(0, RTE_TEL_MAX_STRING_LEN - 1);
}

/// Of anything else rte_telemetry makes what is no JSON.
std::string only_printable(std::string text) {
    for (char& c : text)
        if (c < 0x20 || c > 0x7e) c = '?';
    return text;
}

void add_to_dict(rte_tel_data* dict, const std::string& key, const Json& value) {
    const std::string name = telemetry_name(key);
    if (value.is_number_unsigned()) {
        rte_tel_data_add_dict_u64(dict, name.c_str(), value.get<std::uint64_t>());
    } else if (value.is_structured()) {
        rte_tel_data_add_dict_container(dict, name.c_str(), container(value), 0);
    } else {
        const std::string text =
            only_printable(value.is_string() ? value.get<std::string>() : json_text(value));
        rte_tel_data_add_dict_string(dict, name.c_str(), text.c_str());
    }
}

void add_to_dict(rte_tel_data* dict, const Json& object, unsigned room) {
    for (const auto& [key, value] : object.items()) {
        // A container that found no room would be nobody's.
        if (room-- == 0) return;
        add_to_dict(dict, key, value);
    }
}

void fill_dict(rte_tel_data* dict, const Json& object) {
    rte_tel_data_start_dict(dict);
    add_to_dict(dict, object, RTE_TEL_MAX_DICT_ENTRIES);
}

/// An array as a dictionary keyed by name or position: rte_telemetry's arrays cannot hold what ours do.
Json keyed(const Json& value) {
    if (value.is_object()) return value;
    Json object = Json::object();
    std::size_t index = 0;
    for (const Json& item : value) {
        const bool named = item.is_object() && item.contains("name") && item["name"].is_string();
        object[named ? item["name"].get<std::string>() : std::to_string(index)] = item;
        ++index;
    }
    return object;
}

/// rte_telemetry frees a container together with what it is added to.
rte_tel_data* container(const Json& value) {
    rte_tel_data* data = rte_tel_data_alloc();
    fill_dict(data, keyed(value));
    return data;
}

int answer(const char* command, const char* parameter, rte_tel_data* data) {
    const std::lock_guard lock(served_mutex);
    const std::string name = std::string(command).substr(std::string_view("/isoplane/").size());
    if (served == nullptr || !served->has(name)) return -1;
    const Json report = keyed(served->show(name));
    if (parameter == nullptr || *parameter == '\0') {
        rte_tel_data_start_dict(data);
        unsigned room = RTE_TEL_MAX_DICT_ENTRIES;
        if (report.size() > room || json_text(report).size() > kMostSaid) {
            rte_tel_data_add_dict_string(data, "incomplete", kIncomplete);
            --room;
        }
        add_to_dict(data, report, room);
        return 0;
    }
    for (const auto& [key, value] : report.items()) {
        if (telemetry_name(key) != telemetry_name(parameter)) continue;
        fill_dict(data, keyed(value));
        return 0;
    }
    return -1;
}

}  // namespace

Telemetry::Telemetry(const Views& views) {
    const std::lock_guard lock(served_mutex);
    if (served != nullptr) throw std::logic_error("telemetry is already served in this process");
    served = &views;
    for (const auto& [name, make] : views.all()) {
        rte_telemetry_register_cmd(
            ("/isoplane/" + name).c_str(), answer,
            "Returns this report. Parameter: the name of one entry, for that one only");
    }
}

Telemetry::~Telemetry() {
    const std::lock_guard lock(served_mutex);
    served = nullptr;
}

}  // namespace isoplane::runtime
