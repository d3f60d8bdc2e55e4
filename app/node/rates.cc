// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "rates.hh"

#include <cstdio>
#include <isoplane/runtime/views.hh>
#include <nlohmann/json.hpp>
#include <utility>

namespace isoplane::node {

namespace {

/// What was counted since; a count that went down was cleared in between.
double since(std::uint64_t now, std::uint64_t before) {
    return now < before ? 0 : static_cast<double>(now - before);
}

std::string in_millions(std::uint64_t now, std::uint64_t before, double seconds, double unit) {
    const double rate = unit * since(now, before) / seconds / 1e6;
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", rate);
    return text;
}

/// A part of a whole, to the one decimal that a sample can tell; no number when nothing was sampled.
std::string ratio(double part, double whole) {
    if (whole <= 0) return "-";
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", part / whole);
    return text;
}

}  // namespace

std::string Rates::table() {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - when_).count();
    when_ = now;
    std::vector<std::vector<std::string>> lines{
        {"stage", "in Mpps", "in Mbit/s", "out Mpps", "out Mbit/s", "cycles/packet", "busy %", "held"}};
    const nlohmann::json stages = engine_.describe();
    for (std::size_t i = 0; i < stages.size(); ++i) {
        const nlohmann::json& stage = stages[i];
        const runtime::Stage::Load& load = engine_.stages()[i]->load();
        const Seen is{stage["in"]["packets"],    stage["in"].value("bytes", std::uint64_t{0}),
                      stage["out"]["packets"],   stage["out"].value("bytes", std::uint64_t{0}),
                      load.sampled_cycles.get(), load.busy_cycles.get(),
                      load.sampled_packets.get()};
        // Where nobody counts bytes there is no rate to tell, rather than one of zero.
        const auto megabits = [&](const char* way, std::uint64_t now_bytes, std::uint64_t before) {
            return stage[way].contains("bytes") ? in_millions(now_bytes, before, seconds, 8) : "-";
        };
        const Seen was = std::exchange(seen_[stage["name"]], is);
        const double busy = since(is.busy_cycles, was.busy_cycles);
        lines.push_back({stage["name"], in_millions(is.in_packets, was.in_packets, seconds, 1),
                         megabits("in", is.in_bytes, was.in_bytes),
                         in_millions(is.out_packets, was.out_packets, seconds, 1),
                         megabits("out", is.out_bytes, was.out_bytes),
                         ratio(busy, since(is.sampled_packets, was.sampled_packets)),
                         ratio(100 * busy, since(is.sampled_cycles, was.sampled_cycles)),
                         stage["held"].dump()});
    }
    return runtime::align(lines);
}

}  // namespace isoplane::node
