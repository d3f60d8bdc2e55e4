// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "rfc2544.hh"

#include <isoplane/runtime/stop_signal.hh>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "benchmark.hh"
#include "report.hh"
#include "tables.hh"

namespace isoplane::perf {

namespace {

constexpr unsigned kOnWire = 20;  ///< bytes of preamble and gap

double bits(const Rfc2544Figures& figures, double rate) {
    return rate * 8 * static_cast<double>(figures.frame_size + kOnWire);
}

std::string column(const std::string& text, std::size_t width) {
    return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

double microseconds(const Rfc2544Figures& figures, double fraction) {
    return static_cast<double>(figures.at_throughput->latency->quantile(fraction)) / 1000;
}

std::string table_of(const std::vector<Rfc2544Figures>& all) {
    std::string text = "bytes  million/s  Gbit/s  us median    99 %  99.9 %  lost at 100 %  back to back\n";
    for (const Rfc2544Figures& figures : all) {
        const auto latency = [&](double fraction) {
            return figures.at_throughput ? figure(microseconds(figures, fraction)) : "-";
        };
        text += column(std::to_string(figures.frame_size), 5) + column(figure(figures.throughput / 1e6), 11) +
                column(figure(bits(figures, figures.throughput) / 1e9), 8) + column(latency(0.5), 11) +
                column(latency(0.99), 8) + column(latency(0.999), 8) +
                column(figures.losses.empty() ? "-" : fixed(100 * figures.losses[0].lost, 3) + " %", 15) +
                column((figures.unlimited ? ">= " : "") + std::to_string(figures.back_to_back), 14) + '\n';
    }
    return text;
}

nlohmann::json json_of(const Rfc2544Figures& figures) {
    nlohmann::json out{{"frame_bytes", figures.frame_size},
                       {"highest_frames_per_second", figures.highest},
                       {"throughput_frames_per_second", figures.throughput},
                       {"throughput_bits_per_second", bits(figures, figures.throughput)},
                       {"back_to_back_frames", figures.back_to_back},
                       {"back_to_back_unlimited", figures.unlimited},
                       {"losses", nlohmann::json::array()}};
    for (const Rfc2544Figures::Loss& loss : figures.losses)
        out["losses"].push_back(
            {{"percent", loss.percent}, {"frames_per_second", loss.offered}, {"lost", loss.lost}});
    if (figures.at_throughput)
        out["latency_us"] = {{"p50", microseconds(figures, 0.5)},
                             {"p99", microseconds(figures, 0.99)},
                             {"p999", microseconds(figures, 0.999)},
                             {"p100", microseconds(figures, 1)}};
    return out;
}

int run_with(const Options& options) {
    const runtime::StopSignal signal;
    const PairOfSpecs pair(options.link);
    const runtime::Eal environment(eal_options(options, pair));
    Workers workers(idle_policy(options));
    Sides sides(pair.specs(), options.mtu);
    std::vector<Rfc2544Figures> all;
    for (const std::size_t size : options.sizes)
        all.push_back(measure_rfc2544(size, options.duration, [&](const TrialPlan& plan) {
            if (signal.raised()) throw std::runtime_error("interrupted before the end; nothing is reported");
            return run_trial(plan, workers, sides);
        }));
    const std::vector<std::string> failures = sides.close();
    nlohmann::json json{{"links", {pair.specs()[0].text, pair.specs()[1].text}},
                        {"mtu", options.mtu},
                        {"trial_seconds", options.duration},
                        {"failures", failures},
                        {"figures", nlohmann::json::array()}};
    for (const Rfc2544Figures& figures : all)
        json["figures"].push_back(json_of(figures));
    if (!options.json.empty()) write_to(options.json, json.dump(2) + "\n");
    if (options.json != "-")
        write_to("-", "Links " + pair.specs()[0].text + " and " + pair.specs()[1].text +
                          ", from the first to the " + "second; trials of " + figure(options.duration) +
                          " s.\n\n" + table_of(all));
    return conclude("perf rfc2544", failures, {}, false);
}

}  // namespace

int run_rfc2544(int argc, char** argv) {
    return run_benchmark("perf rfc2544", parse_rfc2544_options(argc, argv), run_with);
}

}  // namespace isoplane::perf
