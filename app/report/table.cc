// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "table.hh"

#include <cstdio>
#include <isoplane/runtime/views.hh>

namespace isoplane::report {

std::string to_text(const Table& table) {
    std::string text = table.title + "\n" + runtime::align(table.lines);
    if (!table.note.empty()) text += table.note + "\n";
    return text;
}

std::string fixed(double value, int digits) {
    char text[64];
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

}  // namespace isoplane::report
