// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "markup.hh"

#include <cmath>
#include <cstdio>

namespace isoplane::report {

std::string escape(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            default:
                out += c;
        }
    }
    return out;
}

std::string px(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", std::round(value * 10) / 10);
    return text;
}

}  // namespace isoplane::report
