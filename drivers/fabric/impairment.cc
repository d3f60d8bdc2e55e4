// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <array>
#include <charconv>
#include <cmath>
#include <isoplane/fabric/impairment.hh>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>

namespace isoplane::fabric {

namespace {

using runtime::Duration;

struct Number {
    double value;
    std::string_view unit;
};

std::optional<Number> number(std::string_view text) {
    Number n{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n.value);
    if (error != std::errc{} || !std::isfinite(n.value) || n.value < 0) return std::nullopt;
    n.unit = text.substr(static_cast<std::size_t>(end - text.data()));
    return n;
}

struct Unit {
    std::string_view name;
    double factor;
};

/// The number in units of factor 1, when its unit is known and it is no more than `most`.
template <std::size_t N>
std::optional<double> scaled(std::string_view text, const std::array<Unit, N>& units, double most) {
    const std::optional<Number> n = number(text);
    if (!n) return std::nullopt;
    for (const Unit& unit : units) {
        if (n->unit == unit.name && n->value * unit.factor <= most) return n->value * unit.factor;
    }
    return std::nullopt;
}

[[noreturn]] void refuse(std::string_view key, std::string_view value, std::string_view expected) {
    throw std::invalid_argument("the impairment " + std::string(key) + " cannot be '" + std::string(value) +
                                "': it takes " + std::string(expected));
}

double probability(std::string_view key, std::string_view value) {
    static constexpr std::array<Unit, 2> kUnits{{{"", 1}, {"%", 0.01}}};
    if (const auto p = scaled(value, kUnits, 1)) return *p;
    refuse(key, value, "a probability from 0 to 1, as 0.01 or 1%");
}

std::optional<Duration> time(std::string_view value) {
    static constexpr std::array<Unit, 4> kUnits{{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};
    if (value == "0") return Duration{0};
    if (const auto ns = scaled(value, kUnits, 3600e9))
        return Duration{static_cast<Duration::rep>(std::llround(*ns))};
    return std::nullopt;
}

Duration duration(std::string_view key, std::string_view value) {
    if (const auto t = time(value)) return *t;
    refuse(key, value, "a time up to an hour with its unit, ns, us, ms or s, as 5us");
}

/// One time, or the least and the most.
Span span(std::string_view key, std::string_view value) {
    static constexpr std::string_view kTo = "..";
    const std::size_t to = value.find(kTo);
    const std::optional<Duration> least = time(value.substr(0, to));
    const std::optional<Duration> most =
        to == std::string_view::npos ? least : time(value.substr(to + kTo.size()));
    if (least && most && *least <= *most) return {*least, *most};
    refuse(key, value,
           "a time up to an hour with its unit, as 5ms, or the least and the most, as 5ms..200ms");
}

std::uint64_t rate(std::string_view key, std::string_view value) {
    static constexpr std::array<Unit, 5> kUnits{
        {{"", 1}, {"bit", 1}, {"kbit", 1e3}, {"Mbit", 1e6}, {"Gbit", 1e9}}};
    if (const auto bits = scaled(value, kUnits, 1e13); bits && (*bits == 0 || *bits >= 1))
        return static_cast<std::uint64_t>(*bits);
    refuse(key, value, "bits a second up to 10000Gbit, as 1Gbit or 250kbit, or 0 for no limit");
}

unsigned count(std::string_view key, std::string_view value, unsigned most) {
    unsigned n = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), n);
    if (error == std::errc{} && end == value.data() + value.size() && n >= 1 && n <= most) return n;
    refuse(key, value, "a count of frames from 1 to " + std::to_string(most));
}

bool on_or_off(std::string_view key, std::string_view value) {
    if (value == "on" || value == "1") return true;
    if (value == "off" || value == "0") return false;
    refuse(key, value, "on or off");
}

constexpr unsigned kMaxGap = 1024;

struct Key {
    std::string_view name;
    void (*set)(Impairment&, std::string_view key, std::string_view value);
};

using Text = std::string_view;
constexpr std::array kKeys{
    Key{"loss", [](Impairment& i, Text k, Text v) { i.loss = probability(k, v); }},
    Key{"dup", [](Impairment& i, Text k, Text v) { i.duplicate = probability(k, v); }},
    Key{"reorder", [](Impairment& i, Text k, Text v) { i.reorder = probability(k, v); }},
    Key{"corrupt", [](Impairment& i, Text k, Text v) { i.corrupt = probability(k, v); }},
    Key{"late", [](Impairment& i, Text k, Text v) { i.late = probability(k, v); }},
    Key{"after", [](Impairment& i, Text k, Text v) { i.after = span(k, v); }},
    Key{"delay", [](Impairment& i, Text k, Text v) { i.delay = duration(k, v); }},
    Key{"jitter", [](Impairment& i, Text k, Text v) { i.jitter = duration(k, v); }},
    Key{"rate", [](Impairment& i, Text k, Text v) { i.rate = rate(k, v); }},
    Key{"queue", [](Impairment& i, Text k, Text v) { i.queue = count(k, v, kMaxQueue); }},
    Key{"gap", [](Impairment& i, Text k, Text v) { i.gap = count(k, v, kMaxGap); }},
    Key{"hold", [](Impairment& i, Text k, Text v) { i.hold = duration(k, v); }},
    Key{"cut", [](Impairment& i, Text k, Text v) { i.cut = on_or_off(k, v); }},
};

std::string known_keys() {
    std::string all;
    for (const Key& key : kKeys)
        all += (all.empty() ? "" : ", ") + std::string(key.name);
    return all;
}

}  // namespace

void set_key(Impairment& impairment, std::string_view key, std::string_view value) {
    for (const Key& known : kKeys) {
        if (known.name == key) return known.set(impairment, key, value);
    }
    throw std::invalid_argument("there is no impairment '" + std::string(key) + "'; there are " +
                                known_keys());
}

Impairment parse_impairment(std::string_view text) {
    Impairment impairment;
    while (!text.empty()) {
        const std::string_view item = text.substr(0, text.find(','));
        const std::size_t equals = item.find('=');
        if (equals == std::string_view::npos) {
            throw std::invalid_argument("'" + std::string(item) +
                                        "' is no impairment: write key=value, as loss=0.01, separated by "
                                        "commas; the keys are " +
                                        known_keys());
        }
        set_key(impairment, item.substr(0, equals), item.substr(equals + 1));
        text.remove_prefix(item.size() < text.size() ? item.size() + 1 : item.size());
    }
    return impairment;
}

void to_json(nlohmann::json& out, const Impairment& i) {
    out = {{"loss", i.loss},
           {"dup", i.duplicate},
           {"reorder", i.reorder},
           {"corrupt", i.corrupt},
           {"late", i.late},
           {"after_ns", {i.after.least.count(), i.after.most.count()}},
           {"delay_ns", i.delay.count()},
           {"jitter_ns", i.jitter.count()},
           {"rate", i.rate},
           {"queue", i.queue},
           {"gap", i.gap},
           {"hold_ns", i.hold.count()},
           {"cut", i.cut}};
}

}  // namespace isoplane::fabric
