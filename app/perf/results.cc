// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "results.hh"

#include <algorithm>

#include "../report/statistics.hh"

namespace isoplane::perf {

namespace {

template <typename T>
void add_once(std::vector<T>& to, const T& value) {
    if (std::find(to.begin(), to.end(), value) == to.end()) to.push_back(value);
}

std::optional<double> quotient(double a, double b) {
    if (!(a > 0 && b > 0)) return std::nullopt;
    return a / b;
}

}  // namespace

void Results::enter(const std::string& transport) {
    add_once(transports_, transport);
}

void Results::add(const std::string& transport, std::size_t size, const Sample& sample) {
    enter(transport);
    add_once(sizes_, size);
    samples_[{transport, size}].push_back(sample);
}

template <typename Figure>
double Results::median_of(const std::string& transport, std::size_t size, Figure&& figure) const {
    const auto found = samples_.find({transport, size});
    if (found == samples_.end()) return 0;
    std::vector<double> values;
    for (const Sample& sample : found->second)
        values.push_back(figure(sample));
    return report::median(std::move(values)).value_or(0);
}

double Results::round_trip(const std::string& transport, std::size_t size, double fraction) const {
    return median_of(transport, size, [fraction](const Sample& s) { return s.round_trip.at(fraction); });
}

double Results::rate(const std::string& transport, std::size_t size) const {
    return median_of(transport, size, [](const Sample& s) { return s.messages_per_second; });
}

Flow Results::flow(const std::string& transport, std::size_t size) const {
    return {.full = median_of(transport, size, [](const Sample& s) { return s.flow.full; }),
            .windowed = median_of(transport, size, [](const Sample& s) { return s.flow.windowed; }),
            .empty = median_of(transport, size, [](const Sample& s) { return s.flow.empty; })};
}

template <typename Figure>
std::optional<double> Results::median_ratio(const std::string& of, const std::string& to, std::size_t size,
                                            Figure&& figure) const {
    const auto ours = samples_.find({of, size});
    const auto theirs = samples_.find({to, size});
    if (ours == samples_.end() || theirs == samples_.end()) return std::nullopt;
    std::vector<double> ratios;
    for (std::size_t round = 0; round < std::min(ours->second.size(), theirs->second.size()); ++round) {
        const auto ratio = quotient(figure(ours->second[round]), figure(theirs->second[round]));
        if (ratio) ratios.push_back(*ratio);
    }
    return report::median(std::move(ratios));
}

std::optional<double> Results::rate_ratio(const std::string& of, const std::string& to,
                                          std::size_t size) const {
    return median_ratio(of, to, size, [](const Sample& s) { return s.messages_per_second; });
}

std::optional<double> Results::round_trip_ratio(const std::string& of, const std::string& to,
                                                std::size_t size) const {
    return median_ratio(of, to, size, [](const Sample& s) { return s.round_trip.at(0.5); });
}

std::optional<double> Results::half_power_point(const std::string& transport) const {
    double most = 0;
    for (const std::size_t size : sizes_)
        most = std::max(most, bytes_per_second(*this, transport, size));
    double size_before = 0;
    double rate_before = 0;
    for (const std::size_t size : sizes_) {
        const double rate = bytes_per_second(*this, transport, size);
        if (rate >= most / 2 && rate > rate_before) {
            const double part = (most / 2 - rate_before) / (rate - rate_before);
            return size_before + part * (static_cast<double>(size) - size_before);
        }
        size_before = static_cast<double>(size);
        rate_before = rate;
    }
    return std::nullopt;
}

void Results::add_to(report::Figures& figures, const std::string& what,
                     const std::vector<std::string>& subjects) const {
    for (const auto& [key, samples] : samples_) {
        const auto& [by, size] = key;
        for (const Sample& sample : samples) {
            if (sample.round_trip.at(0.5) > 0) {
                figures.add({what, by, size, "round_trip_ns_p50"}, sample.round_trip.at(0.5));
                figures.add({what, by, size, "round_trip_ns_p99"}, sample.round_trip.at(0.99));
            }
            if (sample.messages_per_second > 0)
                figures.add({what, by, size, "messages_per_second"}, sample.messages_per_second);
        }
        if (std::ranges::find(subjects, by) == subjects.end()) continue;
        for (const std::string& other : transports_) {
            if (std::ranges::find(subjects, other) != subjects.end()) continue;
            const auto theirs = samples_.find({other, size});
            if (theirs == samples_.end()) continue;
            for (std::size_t round = 0; round < std::min(samples.size(), theirs->second.size()); ++round) {
                const Sample& a = samples[round];
                const Sample& b = theirs->second[round];
                if (const auto ratio = quotient(a.round_trip.at(0.5), b.round_trip.at(0.5)))
                    figures.add({what, by, size, "round_trip_to_" + other}, *ratio);
                if (const auto ratio = quotient(a.messages_per_second, b.messages_per_second))
                    figures.add({what, by, size, "rate_to_" + other}, *ratio);
            }
        }
    }
}

double bytes_per_second(const Results& results, const std::string& transport, std::size_t size) {
    return results.rate(transport, size) * static_cast<double>(size);
}

report::Role role_of(const std::string& transport) {
    using namespace transport;
    static const std::vector<std::string> limits{kIo, kRaw, "noniso", "forward", "base"};
    static const std::vector<std::string> others{kUdp, kTcp, "locks_tcp", "redis"};
    if (std::ranges::find(limits, transport) != limits.end()) return report::Role::kLimit;
    return std::ranges::find(others, transport) != others.end() ? report::Role::kOther
                                                                : report::Role::kSubject;
}

}  // namespace isoplane::perf
