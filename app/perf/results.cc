// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "results.hh"

#include <algorithm>
#include <functional>

namespace isoplane::perf {

namespace {

template <typename T>
void add_once(std::vector<T>& to, const T& value) {
    if (std::find(to.begin(), to.end(), value) == to.end()) to.push_back(value);
}

template <typename T, typename Figure>
double median_of(const std::vector<T>& samples, Figure&& figure) {
    std::vector<double> values;
    for (const T& sample : samples)
        values.push_back(figure(sample));
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 != 0 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::optional<double> quotient(double a, double b) {
    if (!(a > 0 && b > 0)) return std::nullopt;
    return a / b;
}

/// The least favourable of the ratios there are.
void worsen(std::optional<double>& worst, std::optional<double> ratio) {
    if (ratio && (!worst || *ratio < *worst)) worst = ratio;
}

/// How many times as fast as the faster of the two kinds of sockets the NIU is, in the case in which it is
/// least. As users get it, that is with coalescing: TCP's small messages share segments, too. Without, the
/// NIU is there to tell what a frame costs.
Target faster_than_kernel(const Results& results) {
    Target target{.sentence = "every size faster than UDP and TCP over veth", .limit = 1.0};
    for (const std::size_t size : results.sizes()) {
        for (const std::string& kernel : {transport::kUdp, transport::kTcp}) {
            worsen(target.value, results.round_trip_ratio(kernel, transport::kNiuCoalesced, size));
            worsen(target.value, results.rate_ratio(transport::kNiuCoalesced, kernel, size));
        }
    }
    return target;
}

}  // namespace

void Results::add(const std::string& transport, std::size_t size, const Sample& sample) {
    add_once(transports_, transport);
    add_once(sizes_, size);
    samples_[{transport, size}].push_back(sample);
}

Sample Results::median(const std::string& transport, std::size_t size) const {
    const auto found = samples_.find({transport, size});
    if (found == samples_.end()) return {};
    const auto& of = found->second;
    return {.round_trip = {.median = median_of(of, [](const Sample& s) { return s.round_trip.median; }),
                           .p99 = median_of(of, [](const Sample& s) { return s.round_trip.p99; }),
                           .p999 = median_of(of, [](const Sample& s) { return s.round_trip.p999; })},
            .messages_per_second = median_of(of, [](const Sample& s) { return s.messages_per_second; })};
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
    if (ratios.empty()) return std::nullopt;
    return median_of(ratios, std::identity{});
}

std::optional<double> Results::rate_ratio(const std::string& of, const std::string& to,
                                          std::size_t size) const {
    return median_ratio(of, to, size, [](const Sample& s) { return s.messages_per_second; });
}

std::optional<double> Results::round_trip_ratio(const std::string& of, const std::string& to,
                                                std::size_t size) const {
    return median_ratio(of, to, size, [](const Sample& s) { return s.round_trip.median; });
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

double bytes_per_second(const Results& results, const std::string& transport, std::size_t size) {
    return results.median(transport, size).messages_per_second * static_cast<double>(size);
}

std::vector<Target> targets(const Results& results, bool against_veth) {
    using namespace transport;
    std::vector<Target> all{
        {.sentence = "64-byte round trip at most 1.5 times raw",
         .limit = 1.5,
         .at_most = true,
         .value = results.round_trip_ratio(kNiu, kRaw, 64)},
        {.sentence = "64-byte rate without coalescing at least 0.5 of io",
         .limit = 0.5,
         .value = results.rate_ratio(kNiu, kIo, 64)},
        {.sentence = "64-byte rate with coalescing at least 1.0 of io",
         .limit = 1.0,
         .value = results.rate_ratio(kNiuCoalesced, kIo, 64)},
        {.sentence = "8192-byte stream at least 0.85 of raw",
         .limit = 0.85,
         .value = results.rate_ratio(kNiuCoalesced, kRaw, 8192)},
    };
    if (against_veth) all.push_back(faster_than_kernel(results));
    return all;
}

}  // namespace isoplane::perf
