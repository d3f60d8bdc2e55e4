// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "system.hh"

#include <rte_build_config.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace isoplane::doctor {
namespace fs = std::filesystem;
namespace {

std::string trim(const std::string& text) {
    const char* blanks = " \t\n";
    const size_t first = text.find_first_not_of(blanks);
    if (first == std::string::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::optional<uint64_t> parse(std::string_view text, int base) {
    uint64_t value = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (end.ec != std::errc{}) return std::nullopt;
    return value;
}

}  // namespace

System System::here() {
    System system;
    system.plugin_dir = RTE_EAL_PMD_PATH;
    std::error_code ignored;
    system.executable = fs::read_symlink("/proc/self/exe", ignored).string();
    if (const char* dir = std::getenv("XDG_RUNTIME_DIR")) system.runtime_dir = dir;
    return system;
}

fs::path System::at(std::string_view path) const {
    return root / fs::path(path).relative_path();
}

bool System::exists(std::string_view path) const {
    std::error_code ignored;
    return fs::exists(at(path), ignored);
}

bool System::writable(std::string_view path) const {
    return eaccess(at(path).c_str(), R_OK | W_OK) == 0;
}

std::string System::read(std::string_view path) const {
    std::ifstream file(at(path));
    std::ostringstream content;
    content << file.rdbuf();
    return trim(content.str());
}

std::vector<std::string> System::lines(std::string_view path) const {
    std::vector<std::string> all;
    std::istringstream content(read(path));
    for (std::string line; std::getline(content, line);)
        all.push_back(line);
    return all;
}

std::optional<uint64_t> System::number(std::string_view path) const {
    return parse(read(path), 10);
}

std::vector<std::string> System::list(std::string_view path) const {
    std::vector<std::string> names;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(at(path), ignored))
        names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

std::string System::link_name(std::string_view path) const {
    std::error_code ignored;
    return fs::read_symlink(at(path), ignored).filename().string();
}

std::string System::field(std::string_view path, std::string_view key) const {
    for (const std::string& line : lines(path)) {
        if (!line.starts_with(key) || line.size() == key.size()) continue;
        const char after = line[key.size()];
        if (after == ':' || after == ' ') return trim(line.substr(key.size() + 1));
    }
    return {};
}

bool System::has(Capability capability) const {
    const auto effective = parse(field("/proc/self/status", "CapEff"), 16);
    return ((effective.value_or(0) >> static_cast<unsigned>(capability)) & 1) != 0;
}

bool System::is_root() const {
    std::istringstream ids(field("/proc/self/status", "Uid"));
    uint64_t real = 1;
    uint64_t effective = 1;
    return (ids >> real >> effective) && effective == 0;
}

std::optional<uint64_t> System::lockable_bytes() const {
    if (has(Capability::kIpcLock)) return std::nullopt;
    const std::string limit = field("/proc/self/limits", "Max locked memory");
    if (limit.starts_with("unlimited")) return std::nullopt;
    return parse(limit, 10).value_or(0);
}

}  // namespace isoplane::doctor
