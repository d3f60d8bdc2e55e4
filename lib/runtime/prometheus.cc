// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/runtime/json_text.hh>
#include <isoplane/runtime/views.hh>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

namespace isoplane::runtime {

namespace {

using Json = nlohmann::json;
/// Samples by metric name: the format wants those of one name together.
using Metrics = std::map<std::string, std::vector<std::string>>;

std::string only_letters(std::string name) {
    for (char& c : name) {
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    }
    return name;
}

/// What an array's entries are told apart by: the last word of its path, unless an array around it is called
/// by that. A sample with two labels of one name would have none of all samples read.
std::string label_name(const std::string& path, const std::string& labels) {
    const auto taken = [&labels](const std::string& name) {
        return ("," + labels).find("," + name + "=\"") != std::string::npos;
    };
    std::string name = only_letters(path.substr(path.find_last_of('_') + 1));
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0) name = "_" + name;
    if (taken(name)) name = only_letters(path);
    while (taken(name))
        name += '_';
    return name;
}

std::string label(const std::string& key, const std::string& value) {
    std::string text = key + "=\"";
    for (const char c : in_utf8(value)) {
        if (c == '\\' || c == '"') text += '\\';
        text += c == '\n' ? ' ' : c;
    }
    return text + '"';
}

std::string joined(const std::string& labels, const std::string& more) {
    return labels.empty() ? more : labels + "," + more;
}

void collect(const Json& value, const std::string& path, const std::string& labels, Metrics& out) {
    if (value.is_number() || value.is_boolean()) {
        const std::string number = value.is_boolean() ? (value.get<bool>() ? "1" : "0") : value.dump();
        out["isoplane_" + only_letters(path)].push_back((labels.empty() ? "" : "{" + labels + "}") + " " +
                                                        number);
    } else if (value.is_object()) {
        for (const auto& [key, inner] : value.items())
            collect(inner, path + "_" + key, labels, out);
    } else if (value.is_array()) {
        std::size_t index = 0;
        for (const Json& item : value) {
            const bool named = item.is_object() && item.contains("name") && item["name"].is_string();
            const std::string name = named ? item["name"].get<std::string>() : std::to_string(index);
            collect(item, path, joined(labels, label(label_name(path, labels), name)), out);
            ++index;
        }
    }
}

}  // namespace

std::string to_prometheus(const Views& views) {
    Metrics metrics;
    for (const auto& [name, make] : views.all())
        collect(make(), name, "", metrics);
    std::string text;
    for (const auto& [name, samples] : metrics) {
        text += "# TYPE " + name + " gauge\n";
        for (const std::string& sample : samples)
            text += name + sample + '\n';
    }
    return text;
}

}  // namespace isoplane::runtime
