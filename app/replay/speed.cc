// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "replay/speed.hh"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <string>

namespace isoplane::replay {

Speed parse_speed(std::string_view text) {
    if (text == "original") return {.times = 1};
    if (text.ends_with('x') && text != "max") {
        const char* const end = text.data() + text.size() - 1;
        double times = 0;
        const auto [rest, error] = std::from_chars(text.data(), end, times);
        if (error == std::errc{} && rest == end && std::isfinite(times) && times >= 1e-6 && times <= 1e6)
            return {.times = times};
    } else {
        try {
            return {.rate = traffic::parse_rate(text)};
        } catch (const std::invalid_argument&) {
            // what a speed is, is more than a rate
        }
    }
    throw std::invalid_argument("'" + std::string(text) +
                                "' is no speed: write original, max, 2x, 1000pps or 1Gbit");
}

Time Schedule::due(const TraceFrame& frame) {
    Time at = base_;
    if (paced()) {
        at += Time(std::llround(owed_));
        owed_ += traffic::interval(speed_.rate, frame.length);
    } else if (speed_.times > 0) {
        at += Time(std::llround(static_cast<double>(frame.when.count()) / speed_.times));
    }
    last_ = std::max(last_, at);
    return last_;
}

void Schedule::again(std::uint64_t frames) {
    if (paced()) return;
    const Time apart = frames > 1 ? (last_ - base_) / static_cast<Time::rep>(frames - 1) : Time{0};
    base_ = last_ + apart;
}

}  // namespace isoplane::replay
