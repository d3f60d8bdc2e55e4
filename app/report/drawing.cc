// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "drawing.hh"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "markup.hh"
#include "ruler.hh"
#include "style.hh"
#include "table.hh"
#include "tabulate.hh"

namespace isoplane::report {

namespace {

// In units of the viewBox, which is about as wide as a phone: text keeps its size there, and grows a little
// on a desk.
constexpr double kWidth = 400;
constexpr double kHeight = 250;
constexpr double kLeft = 46;
constexpr double kRight = 14;
constexpr double kTop = 24;
constexpr double kBottom = 40;
constexpr double kInnerWidth = kWidth - kLeft - kRight;
constexpr double kInnerHeight = kHeight - kTop - kBottom;
constexpr double kBar = 20;  ///< of bars
constexpr double kBarStep = 42;
constexpr unsigned kLabels = 7;  ///< of an axis, at the most

std::string text(double x, double y, const char* style, const std::string& words) {
    return "<text x=\"" + px(x) + "\" y=\"" + px(y) + "\" class=\"" + style + "\">" + escape(words) +
           "</text>";
}

std::string line(double x1, double y1, double x2, double y2, const char* style) {
    return "<line x1=\"" + px(x1) + "\" y1=\"" + px(y1) + "\" x2=\"" + px(x2) + "\" y2=\"" + px(y2) +
           "\" class=\"" + style + "\"/>";
}

/// A mark of a shape that goes with the class, so that no series is told by its colour alone.
std::string mark(const std::string& look, double x, double y) {
    constexpr double kReach = 3.6;
    const auto corners = [&](unsigned count, double turn) {
        std::string points;
        for (unsigned i = 0; i < count; ++i) {
            const double angle = turn + 2 * std::numbers::pi * i / count;
            points += (i == 0 ? "" : " ") + px(x + 1.2 * kReach * std::sin(angle)) + "," +
                      px(y - 1.2 * kReach * std::cos(angle));
        }
        return "<polygon points=\"" + points + "\"/>";
    };
    switch (look.back() % 5) {
        case 0:
            return corners(4, std::numbers::pi / 4);
        case 1:
            return corners(4, 0);
        case 2:
            return corners(3, 0);
        case 3:
            return "<circle cx=\"" + px(x) + "\" cy=\"" + px(y) + "\" r=\"" + px(kReach) + "\"/>";
        default:
            return corners(3, std::numbers::pi);
    }
}

std::vector<double> values_of(const Plot& plot, double Dot::*of) {
    std::vector<double> values;
    for (const Series& series : plot.series)
        for (const Dot& dot : series.dots)
            values.push_back(dot.*of);
    return values;
}

std::string title_of(const Plot& plot, const Series& series, const Dot& dot) {
    return "<title>" +
           escape(series.name + ": " + label_of(dot.y, plot.y.notation) + " at " +
                  label_of(dot.x, plot.x.notation)) +
           "</title>";
}

std::string axes(const Plot& plot, const Ruler& x, const Ruler& y) {
    std::string out;
    for (const Ruler::Tick& tick : y.ticks()) {
        const double at = kTop + kInnerHeight - y.place(tick.value);
        out += line(kLeft, at, kLeft + kInnerWidth, at, "grid");
        out += text(kLeft - 6, at + 4, "tick end", tick.label);
    }
    for (const Ruler::Tick& tick : x.ticks()) {
        const double at = kLeft + x.place(tick.value);
        out += line(at, kTop + kInnerHeight, at, kTop + kInnerHeight + 4, "axis");
        out += text(at, kTop + kInnerHeight + 16, "tick middle", tick.label);
    }
    out += line(kLeft, kTop + kInnerHeight, kLeft + kInnerWidth, kTop + kInnerHeight, "axis");
    out += text(0, 11, "name", plot.y.title);
    out += text(kLeft + kInnerWidth, kHeight - 5, "name end", plot.x.title);
    return out;
}

std::string lines_of(const Plot& plot, const Ruler& x, const Ruler& y, Looks& looks) {
    std::string out;
    for (const Series& series : plot.series) {
        const std::string& look = looks.class_of(series);
        std::string path;
        std::string marks;
        for (const Dot& dot : series.dots) {
            if (!x.holds(dot.x) || !y.holds(dot.y)) continue;
            const double at_x = kLeft + x.place(dot.x);
            const double at_y = kTop + kInnerHeight - y.place(dot.y);
            path += (path.empty() ? "M" : "L") + px(at_x) + " " + px(at_y);
            if (plot.form == Form::kLines)
                marks += "<g>" + title_of(plot, series, dot) + mark(look, at_x, at_y) + "</g>";
        }
        out += "<g class=\"series " + look + "\"><path d=\"" + path + "\"/>" + marks + "</g>";
    }
    return out;
}

std::string bars_of(const Plot& plot, const Ruler& x) {
    std::string out;
    for (const Ruler::Tick& tick : x.ticks())
        out += line(x.place(tick.value), 0, x.place(tick.value),
                    kBarStep * static_cast<double>(plot.categories.size()), "grid");
    for (std::size_t category = 0; category < plot.categories.size(); ++category) {
        const double top = kBarStep * static_cast<double>(category);
        double sum = 0;
        std::string parts;
        for (std::size_t part = 0; part < plot.series.size(); ++part) {
            const Series& series = plot.series[part];
            for (const Dot& dot : series.dots) {
                if (dot.x != static_cast<double>(category) || !(dot.y > 0)) continue;
                const double from = x.place(sum);
                sum += dot.y;
                parts += "<rect class=\"p" + std::to_string(part % 7) + "\" x=\"" + px(from) + "\" y=\"" +
                         px(top + 16) + "\" width=\"" + px(x.place(sum) - from) + "\" height=\"" + px(kBar) +
                         "\"><title>" +
                         escape(plot.categories[category] + ", " + series.name + ": " + fixed(dot.y, 1)) +
                         "</title></rect>";
            }
        }
        out += text(0, top + 11, "bar", plot.categories[category] + "  " + figure(sum)) + parts;
    }
    return out;
}

std::string legend(const Plot& plot, Looks& looks) {
    std::string out = "<ul class=\"legend\">";
    for (std::size_t i = 0; i < plot.series.size(); ++i) {
        const Series& series = plot.series[i];
        const std::string look =
            plot.form == Form::kBars ? "p" + std::to_string(i % 7) : looks.class_of(series);
        if (plot.form == Form::kBars)
            out += "<li><svg class=\"key box\" viewBox=\"0 0 12 12\" aria-hidden=\"true\"><rect class=\"" +
                   look + "\" width=\"12\" height=\"12\"/>";
        else
            out += "<li><svg class=\"key\" viewBox=\"0 0 26 12\" aria-hidden=\"true\"><g class=\"series " +
                   look + "\"><path d=\"M1 6L25 6\"/>" +
                   (plot.form == Form::kLines ? mark(look, 13, 6) : std::string()) + "</g>";
        out += "</svg>" + escape(series.name) + "</li>";
    }
    return out + "</ul>";
}

/// A legend as SVG has it.
std::string legend_line(const Plot& plot, Looks& looks) {
    constexpr double kLetter = 6.2;  // as wide as most
    std::string out;
    double x = 0;
    for (const Series& series : plot.series) {
        const std::string& look = looks.class_of(series);
        out += "<g class=\"series " + look + "\" transform=\"translate(" + px(x) +
               " 0)\"><path d=\"M0 0H24\"/>" + mark(look, 12, 0) + "</g>" +
               text(x + 30, 4, "tick", series.name);
        x += 44 + kLetter * static_cast<double>(series.name.size());
    }
    return out;
}

std::string frame(double height, const std::string& id, const Plot& plot, const std::string& inside) {
    return "<svg class=\"plot\" viewBox=\"0 0 " + px(kWidth) + " " + px(height) +
           "\" role=\"img\" aria-labelledby=\"" + id + "\" aria-describedby=\"" + id + "-d\"><desc id=\"" +
           id + "-d\">" +
           escape(plot.y.title + " by " + (plot.form == Form::kBars ? "step" : plot.x.title) +
                  "; the values are in the table below.") +
           "</desc>" + inside + "</svg>";
}

/// Axes with lines.
std::string lines_in_axes(const Plot& plot, Looks& looks) {
    const Ruler x(plot.x, values_of(plot, &Dot::x), kInnerWidth, kLabels);
    const Ruler y(plot.y, values_of(plot, &Dot::y), kInnerHeight, kLabels);
    return axes(plot, x, y) + lines_of(plot, x, y, looks);
}

std::string svg(const Plot& plot, const std::string& id, Looks& looks) {
    if (plot.form == Form::kBars) {
        std::vector<double> sums(plot.categories.size());
        for (const Series& series : plot.series)
            for (const Dot& dot : series.dots)
                sums[static_cast<std::size_t>(dot.x)] += dot.y;
        const Ruler x(plot.y, sums, kWidth - kRight, kLabels);
        const double below = kBarStep * static_cast<double>(plot.categories.size());
        std::string ticks;
        for (const Ruler::Tick& tick : x.ticks())
            ticks +=
                text(x.place(tick.value), below + 14, tick.value == 0 ? "tick" : "tick middle", tick.label);
        return frame(below + 34, id, plot,
                     bars_of(plot, x) + ticks + text(kWidth - kRight, below + 30, "name end", plot.y.title));
    }
    return frame(kHeight, id, plot, lines_in_axes(plot, looks));
}

/// A line for each part of a bar, and a column for each bar.
Table table_of_bars(const Plot& plot) {
    Table table{.name = plot.name, .title = plot.title, .lines = {{"step"}}};
    table.lines[0].insert(table.lines[0].end(), plot.categories.begin(), plot.categories.end());
    for (const Series& series : plot.series) {
        std::vector<std::string>& cells = table.lines.emplace_back(1, series.name);
        for (const Dot& dot : series.dots)
            cells.push_back(fixed(dot.y, 1));
    }
    return table;
}

/// A line for each value along x, and a column for each series; of curves for each along y, as these are what
/// they have in common.
Table table_of(const Plot& plot) {
    if (plot.form == Form::kBars) return table_of_bars(plot);
    const bool curve = plot.form == Form::kCurve;
    double Dot::*const key = curve ? &Dot::y : &Dot::x;
    double Dot::*const value = curve ? &Dot::x : &Dot::y;
    const Axis& axis = curve ? plot.y : plot.x;
    Table table{.name = plot.name, .title = plot.title, .lines = {{axis.title}}};
    std::set<double> keys;
    for (const Series& series : plot.series) {
        table.lines[0].push_back(series.name);
        for (const Dot& dot : series.dots)
            keys.insert(dot.*key);
    }
    for (const double at : keys) {
        std::vector<std::string>& cells = table.lines.emplace_back(1, label_of(at, axis.notation));
        for (const Series& series : plot.series) {
            const auto dot = std::ranges::find(series.dots, at, key);
            cells.push_back(dot == series.dots.end() ? "-" : figure((*dot).*value));
        }
    }
    return table;
}

}  // namespace

const std::string& Looks::class_of(const Series& series) {
    const auto [found, is_new] = classes_.try_emplace(series.name);
    if (is_new) {
        const auto role = static_cast<unsigned>(series.role);
        static constexpr unsigned kLooks[]{7, 3, 4};
        found->second = std::string(1, "slo"[role]) + std::to_string(next_[role]++ % kLooks[role]);
    }
    return found->second;
}

std::string draw(const Plot& plot, const std::string& id, Looks& looks) {
    std::string out = "<figure>\n<figcaption id=\"" + id + "\"><h3>" + escape(plot.title) + "</h3>";
    if (!plot.note.empty()) out += "<p>" + escape(plot.note) + "</p>";
    out += "</figcaption>\n" + legend(plot, looks) + "\n" + svg(plot, id, looks) + "\n";
    return out + "<details><summary>Values</summary>" + html_of(table_of(plot), false) +
           "</details>\n</figure>\n";
}

std::string draw_file(const std::vector<Plot>& plots) {
    constexpr double kHead = 48;  // title and legend
    constexpr double kGap = 36;
    constexpr double kMargin = 12;
    Looks looks;
    std::string titles;
    std::string cells;
    double bottom = 0;
    for (std::size_t i = 0; i < plots.size(); ++i) {
        const double x = kMargin + static_cast<double>(i % 2) * (kWidth + kGap);
        const double y = kMargin + static_cast<double>(i / 2) * (kHead + kHeight + kGap);
        titles += (i == 0 ? "" : "; ") + plots[i].title;
        cells += "<g transform=\"translate(" + px(x) + " " + px(y) + ")\">" +
                 text(0, 12, "title", plots[i].title) + "<g transform=\"translate(0 30)\">" +
                 legend_line(plots[i], looks) + "</g><g transform=\"translate(0 " + px(kHead) + ")\">" +
                 lines_in_axes(plots[i], looks) + "</g></g>\n";
        bottom = y + kHead + kHeight + kMargin;
    }
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
           "class=\"plot\" "
           "viewBox=\"0 0 " +
           px(2 * (kWidth + kMargin) + kGap) + " " + px(bottom) + "\" role=\"img\" aria-label=\"" +
           escape(titles) + "\">\n<style>" + kPlotStyle +
           "text { font-family: system-ui, \"Liberation Sans\", Arial, sans-serif; }\n"
           ".plot .title { font-size: 14px; fill: var(--ink); }\n</style>\n"
           "<rect width=\"100%\" height=\"100%\" fill=\"var(--paper)\"/>\n" +
           cells + "</svg>\n";
}

}  // namespace isoplane::report
