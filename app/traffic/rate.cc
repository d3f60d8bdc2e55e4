// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "rate.hh"

#include <algorithm>
#include <array>
#include <charconv>
#include <isoplane/runtime/packet.hh>
#include <stdexcept>
#include <string>

namespace isoplane::traffic {

namespace {

/// Preamble, FCS and gap: what a frame occupies of a wire beyond its own bytes.
constexpr unsigned kWireOverhead = 24;

double scale_of(char prefix) {
    switch (prefix) {
        case 'k':
            return 1e3;
        case 'M':
            return 1e6;
        case 'G':
            return 1e9;
        default:
            return 0;
    }
}

}  // namespace

Rate parse_rate(std::string_view text) {
    if (text == "max") return {};
    double number = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    std::string_view unit(rest, static_cast<std::size_t>(text.data() + text.size() - rest));
    if (unit.starts_with(' ')) unit.remove_prefix(1);
    if (!unit.empty() && scale_of(unit.front()) != 0) {
        number *= scale_of(unit.front());
        unit.remove_prefix(1);
    }
    if (error == std::errc{} && number > 0 && number <= 1e12) {
        if (unit == "pps") return {.frames_per_second = number};
        if (unit == "bit" || unit == "bit/s") return {.bits_per_second = number};
    }
    throw std::invalid_argument("'" + std::string(text) + "' is no rate: write max, 1000pps, 2Mpps or 1Gbit");
}

double interval(const Rate& rate, std::size_t frame_size) {
    if (rate.bits_per_second > 0)
        return 8e9 * static_cast<double>(frame_size + kWireOverhead) / rate.bits_per_second;
    return rate.frames_per_second > 0 ? 1e9 / rate.frames_per_second : 0;
}

Pacer::Pacer(const Rate& rate, std::uint16_t frame_size) {
    const double apart = interval(rate, frame_size);
    if (apart > 0) interval_ = runtime::Duration(std::max<std::int64_t>(1, static_cast<std::int64_t>(apart)));
}

std::uint16_t Pacer::take(runtime::Time now, std::uint16_t want) noexcept {
    if (interval_.count() == 0) return want;
    next_ = std::max(next_.value_or(now), now - interval_ * runtime::kBurst);
    if (now < *next_) return 0;
    const auto due = (now - *next_) / interval_ + 1;
    const auto n = static_cast<std::uint16_t>(std::min<std::int64_t>(due, want));
    *next_ += interval_ * n;
    return n;
}

}  // namespace isoplane::traffic
