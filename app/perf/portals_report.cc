// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "portals_report.hh"

#include <algorithm>
#include <isoplane/runtime/views.hh>
#include <nlohmann/json.hpp>

#include "tables.hh"

namespace isoplane::perf {

namespace {

using Json = nlohmann::json;
using transport::kNiuCoalesced;
using transport::kPortals;
using transport::kRaw;

constexpr std::size_t kLong = std::size_t{1} << 20;

double bytes_per_second(const Results& results, const std::string& transport, std::size_t size) {
    return results.median(transport, size).messages_per_second * static_cast<double>(size);
}

/// The size of messages that reach half of the most bytes a second that any size does, between two that were
/// measured on a straight line; nothing when the smallest does.
std::optional<double> half_power_point(const Results& results) {
    double most = 0;
    for (const std::size_t size : results.sizes())
        most = std::max(most, bytes_per_second(results, kPortals, size));
    double size_before = 0;
    double rate_before = 0;
    for (const std::size_t size : results.sizes()) {
        const double rate = bytes_per_second(results, kPortals, size);
        if (rate >= most / 2 && rate > rate_before) {
            const double part = (most / 2 - rate_before) / (rate - rate_before);
            return size_before + part * (static_cast<double>(size) - size_before);
        }
        size_before = static_cast<double>(size);
        rate_before = rate;
    }
    return std::nullopt;
}

/// Only where the link is not slower than the copy.
std::optional<double> share_of_copy(const PortalsReport& report) {
    if (!(report.copy > 0) || bytes_per_second(report.results, kRaw, kLong) < report.copy)
        return std::nullopt;
    return bytes_per_second(report.results, kPortals, kLong) / report.copy;
}

template <typename Figure>
std::optional<double> median_of(const std::vector<Overlap>& overlaps, Figure&& figure) {
    std::vector<double> values;
    for (const Overlap& overlap : overlaps)
        values.push_back(figure(overlap));
    if (values.empty()) return std::nullopt;
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

std::optional<double> availability(const PortalsReport& report) {
    return median_of(report.overlaps, [](const Overlap& o) { return o.availability; });
}

}  // namespace

std::vector<Target> portals_targets(const PortalsReport& report) {
    const Results& results = report.results;
    return {{.sentence = "8-byte round trip at most 1.3 times the NIU's",
             .limit = 1.3,
             .at_most = true,
             .value = results.round_trip_ratio(kPortals, kNiuCoalesced, 8)},
            {.sentence = "1 MB stream at least 0.85 of the NIU's",
             .limit = 0.85,
             .value = results.rate_ratio(kPortals, kNiuCoalesced, kLong)},
            {.sentence = "1 MB stream at least 0.9 of one copy, on a link that is not slower",
             .limit = 0.9,
             .value = share_of_copy(report)},
            {.sentence = "half-power point at most 2048 bytes",
             .limit = 2048,
             .at_most = true,
             .value = half_power_point(results)},
            {.sentence = "matching at most 20 ns an entry",
             .limit = 20,
             .at_most = true,
             .value = report.matching.empty() ? std::nullopt : std::optional(report.matching.back().each())},
            {.sentence = "availability at least 0.95", .limit = 0.95, .value = availability(report)}};
}

std::string to_tables(const PortalsReport& report) {
    const Results& results = report.results;
    const auto rates = [&](double scale, bool bytes) {
        return table(
            results,
            [=](const Sample& s, std::size_t size) {
                return figure(s.messages_per_second * (bytes ? static_cast<double>(size) : 1) / scale);
            },
            &Results::rate_ratio, {kPortals}, kNiuCoalesced);
    };
    std::string text = "Links " + report.links[0] + " and " + report.links[1] + ", MTU " +
                       std::to_string(report.options.mtu) + ", " + std::to_string(report.options.rounds) +
                       " rounds of " + fixed(report.options.duration, 3) + " s a measurement";
    text += report.kernel.empty() ? ".\n\n" : "; sockets over " + report.kernel + ".\n\n";
    text += "Round trip, microseconds, median; ratios are medians over the rounds\n" +
            table(
                results, [](const Sample& s, std::size_t) { return figure(s.round_trip.median / 1e3); },
                &Results::round_trip_ratio, {kPortals}, kNiuCoalesced);
    text += "\nMillion messages a second, one way\n" + rates(1e6, false);
    text += "\nMegabytes a second, one way\n" + rates(1e6, true);

    std::vector<std::vector<std::string>> lines{{"entries", "first", "last", "each"}};
    for (const Matching& matching : report.matching)
        lines.push_back({std::to_string(matching.entries), figure(matching.first), figure(matching.last),
                         figure(matching.each())});
    text +=
        "\nNanoseconds to receive a put without data, by the length of the list and by which entry "
        "matches\n" +
        runtime::align(lines);
    text += "\nWhile an lcore receives messages of 1 MB, " +
            figure(median_of(report.overlaps, [](const Overlap& o) { return o.bytes_per_second / 1e6; })) +
            " MB a second, a program on another CPU has " + figure(availability(report)) +
            " of it. One copy of 1 MB: " + figure(report.copy / 1e6) + " MB a second.\n";
    return text + "\n" + target_lines(report.targets);
}

std::string to_json(const PortalsReport& report) {
    Json out{{"links", report.links},
             {"mtu", report.options.mtu},
             {"encapsulation", report.options.in_udp ? "udp" : "ethernet"},
             {"cpus", report.options.cpus},
             {"rounds", report.options.rounds},
             {"seconds_each", report.options.duration},
             {"kernel", report.kernel.empty() ? Json(nullptr) : Json(report.kernel)},
             {"failures", report.failures},
             {"copy_bytes_per_second", report.copy},
             {"results", Json::array()},
             {"matching", Json::array()},
             {"overlap", Json::array()},
             {"targets", targets_json(report.targets)}};
    const Results& results = report.results;
    for (const std::string& transport : results.transports()) {
        for (const std::size_t size : results.sizes()) {
            const Sample sample = results.median(transport, size);
            out["results"].push_back(
                {{"transport", transport},
                 {"bytes", size},
                 {"round_trip_ns",
                  {{"p50", sample.round_trip.median},
                   {"p99", sample.round_trip.p99},
                   {"p999", sample.round_trip.p999}}},
                 {"messages_per_second", sample.messages_per_second},
                 {"bytes_per_second", sample.messages_per_second * static_cast<double>(size)}});
        }
    }
    for (const Matching& matching : report.matching)
        out["matching"].push_back(
            {{"entries", matching.entries}, {"first_ns", matching.first}, {"last_ns", matching.last}});
    for (const Overlap& overlap : report.overlaps)
        out["overlap"].push_back(
            {{"availability", overlap.availability}, {"bytes_per_second", overlap.bytes_per_second}});
    return out.dump(2) + "\n";
}

std::string to_csv(const PortalsReport& report) {
    std::string text =
        "transport,bytes,round_trip_ns_p50,round_trip_ns_p99,round_trip_ns_p999,messages_per_second,"
        "bytes_per_second\n";
    for (const std::string& transport : report.results.transports()) {
        for (const std::size_t size : report.results.sizes()) {
            const Sample s = report.results.median(transport, size);
            text += transport + "," + std::to_string(size);
            for (const double value :
                 {s.round_trip.median, s.round_trip.p99, s.round_trip.p999, s.messages_per_second,
                  s.messages_per_second * static_cast<double>(size)})
                text += "," + fixed(value, 1);
            text += "\n";
        }
    }
    return text;
}

}  // namespace isoplane::perf
