// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// What is to be drawn; how, drawing.hh knows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace isoplane::report {

enum class Scale : std::uint8_t { kLinear, kLog };
enum class Notation : std::uint8_t { kNumber, kBytes };

struct Axis {
    std::string title;  ///< with the unit, as "round trip, µs"
    Scale scale = Scale::kLinear;
    Notation notation = Notation::kNumber;
};

/// Who a series shows, which decides how it looks.
enum class Role : std::uint8_t {
    kSubject,  ///< what is measured
    kLimit,    ///< what the link can carry
    kOther,    ///< what others do on the same machine
};

struct Dot {
    double x = 0;
    double y = 0;
};

struct Series {
    std::string name;
    Role role = Role::kSubject;
    std::vector<Dot> dots{};
};

enum class Form : std::uint8_t {
    kLines,  ///< a line for each series, with a mark at each dot
    kCurve,  ///< the same without marks: of many dots
    kBars,   ///< a bar for each category; series are the parts that it is made of, by its number as x
};

struct Plot {
    std::string name;
    std::string title;
    Form form = Form::kLines;
    Axis x{};
    Axis y{};
    std::vector<Series> series{};
    std::vector<std::string> categories{};  ///< of bars
    std::string note{};                     ///< how to read it, in a sentence; may be empty
};

}  // namespace isoplane::report
