// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <string>
#include <vector>

#include "diagram/story.hh"
#include "diagram/window.hh"

namespace isoplane::diagram {

inline constexpr unsigned kColours = 10;

struct Point {
    double x = 0;
    double y = 0;
};

/// A node, as a line from left to right.
struct Lane {
    double y = 0;
    std::string label;
    bool manager = false;
};

/// From the end of one pulse to the end of the next, over all hosts.
struct Column {
    std::vector<Point> outline;
    std::uint64_t pulse = 0;
    double middle = 0;
    bool shaded = false;
    bool labelled = false;  ///< there is room for its number
};

/// A pulse ends at a host.
struct Tick {
    Point at;
    std::uint64_t pulse = 0;
};

struct Arrow {
    Point from;
    Point to;
    Fate fate = Fate::kArrived;
    bool again = false;
    unsigned colour = 0;  ///< of the isochron
    std::string tip;      ///< what a browser shows where the pointer rests
};

/// A message is executed: at one height above the line of its host what is executed first.
struct Dot {
    Point at;
    unsigned colour = 0;
    std::string tip;
};

struct Label {
    Point at;
    std::string text;
    unsigned colour = 0;
};

/// Everything that is drawn, in the units of an SVG file.
struct Drawing {
    double width = 0;
    double height = 0;
    double left = 0;   ///< where time begins
    double right = 0;  ///< and ends
    double top = 0;    ///< of the columns
    double bottom = 0;
    std::vector<Lane> lanes;
    std::vector<Column> columns;
    std::vector<Tick> ticks;
    std::vector<Arrow> tokens;
    std::vector<Arrow> messages;
    std::vector<Dot> dots;
    std::vector<Label> isochrons;  ///< their numbers, where they leave
    std::vector<Label> acts;       ///< signals and barriers, where they leave
    std::vector<Label> times;      ///< along the axis
    std::vector<Label> breaks;     ///< where it is cut short
};

/// Places what happens in the window. Times are counted from `first`.
Drawing lay_out(const Story& story, const Window& window, Time first);

}  // namespace isoplane::diagram
