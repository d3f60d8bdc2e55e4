// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "diagram/svg.hh"

#include <array>
#include <iomanip>
#include <string_view>

namespace isoplane::diagram {

namespace {

/// Far enough apart for neighbours, dark enough for thin lines on white.
constexpr std::array<std::string_view, kColours> kPalette{"#c8344f", "#1f6fb2", "#2e8b57", "#d9822b",
                                                          "#6a4c9c", "#0f9aa8", "#a0522d", "#c23b94",
                                                          "#6b8e23", "#34495e"};

constexpr std::string_view kTokenColour = "#9fb0c1";

constexpr std::string_view kStyle = R"(
  text { font-family: "DejaVu Sans", Verdana, sans-serif; font-size: 12px; fill: #333; }
  .column { fill: #f1f4f8; }
  .front { fill: none; stroke: #b9c4d0; stroke-width: 1; }
  .pulse { fill: #5b6b7b; font-size: 11px; text-anchor: middle; }
  .lane { stroke: #333; stroke-width: 1.6; }
  .manager { stroke: #8a97a5; stroke-width: 1.6; }
  .name { font-size: 13px; text-anchor: end; }
  .tick { stroke: #333; stroke-width: 1.6; }
  .token { stroke-width: 0.8; }
  .message { stroke-width: 1.7; fill: none; }
  .again, .lost, .repeated { stroke-dasharray: 5 3; }
  .lost, .repeated { fill: none; }
  .cross { stroke-width: 1.7; }
  .executed { stroke: #fff; stroke-width: 1; }
  .isochron { font-size: 10px; text-anchor: middle; }
  .act { font-size: 10px; fill: #8a2be2; }
  .axis { stroke: #8a97a5; stroke-width: 1; }
  .time { font-size: 11px; text-anchor: middle; fill: #5b6b7b; }
  .break { stroke: #fff; stroke-width: 5; }
  .gap { font-size: 10px; text-anchor: middle; fill: #a05a00; }
)";

/// As text of an element.
struct Escaped {
    std::string_view text;
};

std::ostream& operator<<(std::ostream& out, Escaped escaped) {
    for (const char c : escaped.text) {
        if (c == '<')
            out << "&lt;";
        else if (c == '>')
            out << "&gt;";
        else if (c == '&')
            out << "&amp;";
        else
            out << c;
    }
    return out;
}

class Svg {
  public:
    Svg(std::ostream& out, const Drawing& drawing) : out_(out), draw_(drawing) {
        out_ << std::fixed << std::setprecision(1);
    }

    void write() {
        head();
        columns();
        lanes();
        for (const Arrow& token : draw_.tokens)
            arrow(token, "token", kTokenColour, "url(#token-head)");
        for (const Tick& tick : draw_.ticks)
            line("tick", {tick.at.x, tick.at.y - 5}, {tick.at.x, tick.at.y + 5});
        for (const Arrow& message : draw_.messages)
            arrow(message, "message", kPalette[message.colour],
                  "url(#head" + std::to_string(message.colour) + ")");
        dots();
        for (const Label& label : draw_.isochrons)
            text("isochron", {label.at.x, label.at.y + 15}, label.text, kPalette[label.colour]);
        for (const Label& act : draw_.acts)
            text("act", {act.at.x + 3, act.at.y - 8}, act.text);
        axis();
        legend();
        out_ << "</svg>\n";
    }

  private:
    void head() {
        out_ << R"(<?xml version="1.0" encoding="UTF-8"?>)" << '\n'
             << R"(<svg xmlns="http://www.w3.org/2000/svg" width=")" << draw_.width << R"(" height=")"
             << draw_.height << R"(" viewBox="0 0 )" << draw_.width << ' ' << draw_.height << "\">\n<style>"
             << kStyle << "</style>\n<defs>\n";
        marker("token-head", kTokenColour, 5);
        for (unsigned i = 0; i < kColours; ++i)
            marker("head" + std::to_string(i), kPalette[i], 8);
        out_ << R"(<clipPath id="window"><rect x=")" << draw_.left << "\" y=\"0\" width=\""
             << draw_.right - draw_.left + 1 << "\" height=\"" << draw_.bottom << "\"/></clipPath>\n</defs>\n"
             << R"(<rect width="100%" height="100%" fill="#fff"/>)" << '\n';
    }

    void marker(const std::string& id, std::string_view colour, double size) {
        out_ << "<marker id=\"" << id
             << "\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerUnits=\"userSpaceOnUse\""
             << " markerWidth=\"" << size << "\" markerHeight=\"" << size
             << "\" orient=\"auto\"><path d=\"M0 1 L10 5 L0 9 z\" fill=\"" << colour << "\"/></marker>\n";
    }

    void columns() {
        text("pulse", {draw_.left - 34, draw_.top - 8}, "pulse");
        for (const Column& column : draw_.columns) {
            out_ << "<polygon clip-path=\"url(#window)\" "
                 << (column.shaded ? "class=\"column\"" : "fill=\"none\"") << " points=\"";
            for (const Point& point : column.outline)
                out_ << point.x << ',' << point.y << ' ';
            out_ << "\"/>\n";
            if (column.labelled) text("pulse", {column.middle, draw_.top - 8}, std::to_string(column.pulse));
        }
    }

    void lanes() {
        for (const Lane& lane : draw_.lanes) {
            line(lane.manager ? "manager" : "lane", {draw_.left, lane.y}, {draw_.right, lane.y});
            text("name", {draw_.left - 12, lane.y + 4}, lane.label);
        }
    }

    void arrow(const Arrow& arrow, std::string_view sort, std::string_view colour, const std::string& head) {
        const bool lost = arrow.fate == Fate::kNeverSeen;
        const bool dashed = lost || arrow.again;
        if (lost)
            sort = sort == "token" ? "token lost" : "lost";
        else if (arrow.fate == Fate::kRepeated)
            sort = sort == "token" ? "token repeated" : "repeated";
        out_ << "<g clip-path=\"url(#window)\"><line class=\"" << sort << (dashed ? " again" : "")
             << "\" stroke=\"" << colour << "\" x1=\"" << arrow.from.x << "\" y1=\"" << arrow.from.y
             << "\" x2=\"" << arrow.to.x << "\" y2=\"" << arrow.to.y << '"';
        if (!lost) out_ << " marker-end=\"" << head << '"';
        out_ << "><title>" << Escaped{arrow.tip} << "</title></line>";
        if (lost)
            out_ << "<path class=\"cross\" stroke=\"" << colour << "\" d=\"M" << arrow.to.x - 4 << ' '
                 << arrow.to.y - 4 << " l8 8 m-8 0 l8 -8\"/>";
        out_ << "</g>\n";
    }

    void dots() {
        for (const Dot& dot : draw_.dots)
            out_ << "<circle class=\"executed\" cx=\"" << dot.at.x << "\" cy=\"" << dot.at.y
                 << "\" r=\"4.2\" fill=\"" << kPalette[dot.colour] << "\"><title>" << Escaped{dot.tip}
                 << "</title></circle>\n";
    }

    void axis() {
        const double y = draw_.bottom + 6;
        line("axis", {draw_.left, y}, {draw_.right, y});
        for (const Label& time : draw_.times) {
            line("axis", {time.at.x, y}, {time.at.x, y + 5});
            text("time", {time.at.x, y + 19}, time.text);
        }
        for (const Label& gap : draw_.breaks) {
            line("break", {gap.at.x - 2, y + 3}, {gap.at.x + 2, y - 3});
            if (gap.text.empty()) continue;
            line("axis", {gap.at.x - 5, y + 5}, {gap.at.x - 1, y - 5});
            line("axis", {gap.at.x + 1, y + 5}, {gap.at.x + 5, y - 5});
            text("gap", {gap.at.x, y + 31}, gap.text);
        }
    }

    void legend() {
        const double y = draw_.bottom + 64;
        double x = draw_.left;
        const auto entry = [&](std::string_view words, double room) {
            text("entry", {x + 36, y + 4}, words);
            x += room;
        };
        const auto sample = [&](const char* what, std::string_view colour, const char* more) {
            out_ << "<line class=\"" << what << "\" stroke=\"" << colour << "\" x1=\"" << x << "\" y1=\"" << y
                 << "\" x2=\"" << x + 28 << "\" y2=\"" << y << "\" " << more << "/>\n";
        };
        sample("sample", kPalette[1], "stroke-width='1.7' marker-end='url(#head1)'");
        entry("message, in the colour of its isochron", 300);
        sample("sample", kPalette[1], "stroke-width='1.7' stroke-dasharray='5 3'");
        entry("lost, or sent again", 180);
        sample("sample", kTokenColour, "marker-end='url(#token-head)'");
        entry("token", 90);
        line("tick", {x + 20, y - 5}, {x + 20, y + 5});
        entry("end of pulse", 130);
        out_ << "<circle cx=\"" << x + 20 << "\" cy=\"" << y << "\" r=\"4.2\" fill=\"" << kPalette[1]
             << "\"/>\n";
        entry("executed", 100);
        line("axis", {x + 14, y + 5}, {x + 18, y - 5});
        line("axis", {x + 20, y + 5}, {x + 24, y - 5});
        entry("nothing for so long", 150);
    }

    void line(std::string_view what, Point from, Point to) {
        out_ << "<line class=\"" << what << "\" x1=\"" << from.x << "\" y1=\"" << from.y << "\" x2=\"" << to.x
             << "\" y2=\"" << to.y << "\"/>\n";
    }

    void text(std::string_view what, Point at, std::string_view words, std::string_view colour = {}) {
        out_ << "<text class=\"" << what << "\" x=\"" << at.x << "\" y=\"" << at.y << '"';
        if (!colour.empty()) out_ << " style=\"fill:" << colour << '"';
        out_ << '>' << Escaped{words} << "</text>\n";
    }

    std::ostream& out_;
    const Drawing& draw_;
};

}  // namespace

void write_svg(std::ostream& out, const Drawing& drawing) {
    Svg(out, drawing).write();
}

}  // namespace isoplane::diagram
