// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "rfc2544.hh"

#include <algorithm>
#include <isoplane/runtime/stop_signal.hh>
#include <isoplane/wire/ethernet.hh>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "../report/statistics.hh"
#include "benchmark.hh"
#include "tables.hh"

namespace isoplane::perf {

namespace {

constexpr Defaults kDefaults{.sizes = "64,128,256,512,1024,1280,1518",
                             .size_text = "bytes of a frame, with its FCS",
                             .rounds = 1,
                             .duration = 0.5,
                             .quick_sizes = "64,1518"};
constexpr unsigned kOnWire = 20;  ///< bytes of preamble and gap

/// Of each size, one of each round.
using Rounds = std::vector<std::vector<Rfc2544Figures>>;

double bits(const Rfc2544Figures& figures, double rate) {
    return rate * 8 * static_cast<double>(figures.frame_size + kOnWire);
}

std::optional<double> microseconds(const Rfc2544Figures& figures, double fraction) {
    if (!figures.at_throughput) return std::nullopt;
    return static_cast<double>(figures.at_throughput->latency->quantile(fraction)) / 1000;
}

/// Over those rounds that have it; `value` yields a pointer to it, or something like one.
template <typename Value>
std::optional<double> median_of(const std::vector<Rfc2544Figures>& rounds, Value&& value) {
    std::vector<double> values;
    for (const Rfc2544Figures& figures : rounds)
        if (const auto found = value(figures)) values.push_back(static_cast<double>(*found));
    return report::median(std::move(values));
}

std::optional<double> microseconds(const std::vector<Rfc2544Figures>& rounds, double fraction) {
    return median_of(rounds, [fraction](const Rfc2544Figures& f) { return microseconds(f, fraction); });
}

Table table_of(const Rounds& all) {
    Table table{.name = "rfc2544",
                .title = "Throughput without loss, latency there, and what is lost above it",
                .lines = {{"bytes", "million/s", "Gbit/s", "us median", "99 %", "99.9 %", "lost at 100 %",
                           "back to back"}}};
    for (const auto& rounds : all) {
        const Rfc2544Figures found = medians_of(rounds);
        std::vector<std::string>& line = table.lines.emplace_back();
        line = {std::to_string(found.frame_size), figure(found.throughput / 1e6),
                figure(bits(found, found.throughput) / 1e9)};
        for (const double fraction : {0.5, 0.99, 0.999})
            line.push_back(figure(microseconds(rounds, fraction)));
        line.push_back(found.losses.empty() ? "-" : fixed(100 * found.losses[0].lost, 3) + " %");
        line.push_back((found.unlimited ? ">= " : "") + std::to_string(found.back_to_back));
    }
    return table;
}

report::Plot delivered_plot(const Rounds& all) {
    report::Plot plot{.name = "load",
                      .title = "Rate against offered load",
                      .x = {.title = "million frames a second offered"},
                      .y = {.title = "million frames a second delivered"},
                      .note = "Where a line leaves the diagonal, frames are lost."};
    for (const auto& rounds : all) {
        const Rfc2544Figures found = medians_of(rounds);
        report::Series& series =
            plot.series.emplace_back(report::Series{.name = std::to_string(found.frame_size) + " bytes"});
        for (const Rfc2544Figures::Loss& loss : found.losses)
            series.dots.insert(series.dots.begin(),
                               {loss.offered / 1e6, loss.offered * (1 - loss.lost) / 1e6});
    }
    return plot;
}

report::Plot latency_plot(const Rounds& all) {
    report::Plot plot{.name = "load_latency",
                      .title = "Latency against offered load",
                      .x = {.title = "% of the highest rate that can be offered"},
                      .y = {.title = "microseconds, median", .scale = report::Scale::kLog}};
    for (const auto& rounds : all) {
        const Rfc2544Figures found = medians_of(rounds);
        report::Series& series =
            plot.series.emplace_back(report::Series{.name = std::to_string(found.frame_size) + " bytes"});
        for (const Rfc2544Figures::Loss& loss : found.losses)
            if (loss.microseconds > 0)
                series.dots.insert(series.dots.begin(),
                                   {static_cast<double>(loss.percent), loss.microseconds});
    }
    return plot;
}

/// What loses frames is behind the first link; where nothing is lost, more could not be offered.
report::Bound bound_of(const std::vector<Rfc2544Figures>& rounds) {
    const Rfc2544Figures figures = medians_of(rounds);
    report::Bound bound{.by = "frames", .at = static_cast<double>(figures.frame_size)};
    const double lost = figures.losses.empty() ? 0 : figures.losses[0].lost;
    if (figures.losses.empty()) {
        bound.resource = "unknown";
        bound.reason = "nothing could be offered";
    } else if (lost > 0) {
        bound.resource = "what is between the links";
        bound.reason = "it loses " + fixed(100 * lost, 3) + " % of what can be offered";
    } else {
        bound.resource = "the sender and its link";
        bound.reason = "nothing is lost at the highest rate that can be offered";
    }
    return bound;
}

nlohmann::json json_of(const std::vector<Rfc2544Figures>& rounds) {
    const Rfc2544Figures figures = medians_of(rounds);
    nlohmann::json out{{"frame_bytes", figures.frame_size},
                       {"highest_frames_per_second", figures.highest},
                       {"throughput_frames_per_second", figures.throughput},
                       {"throughput_bits_per_second", bits(figures, figures.throughput)},
                       {"back_to_back_frames", figures.back_to_back},
                       {"back_to_back_unlimited", figures.unlimited},
                       {"losses", nlohmann::json::array()}};
    for (const Rfc2544Figures::Loss& loss : figures.losses)
        out["losses"].push_back({{"percent", loss.percent},
                                 {"frames_per_second", loss.offered},
                                 {"lost", loss.lost},
                                 {"latency_us", loss.microseconds}});
    if (figures.at_throughput)
        out["latency_us"] = {{"p50", *microseconds(rounds, 0.5)},
                             {"p99", *microseconds(rounds, 0.99)},
                             {"p999", *microseconds(rounds, 0.999)},
                             {"p100", *microseconds(rounds, 1)}};
    return out;
}

void add_to(report::Record& record, const Rounds& all) {
    record.tables = {table_of(all)};
    record.plots = {delivered_plot(all), latency_plot(all)};
    record.details["sizes"] = nlohmann::json::array();
    for (const auto& rounds : all) {
        record.details["sizes"].push_back(json_of(rounds));
        record.bounds.push_back(bound_of(rounds));
        for (const Rfc2544Figures& found : rounds)
            add_figures(record.figures, found);
    }
}

report::Record measure_all(const Options& options) {
    const runtime::StopSignal signal;
    const PairOfSpecs pair(options.link);
    const runtime::Eal eal(eal_options(options, pair));
    Workers workers(idle_policy(options));
    Sides sides(pair.specs(), options.mtu);
    const auto run = [&](const TrialPlan& plan) {
        if (signal.raised()) throw std::runtime_error("interrupted before the end; nothing is reported");
        return run_trial(plan, workers, sides);
    };
    Rounds all(options.sizes.size());
    for (unsigned round = 0; round < options.rounds; ++round)
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i].push_back(measure_rfc2544(options.sizes[i], options.duration, run));
    report::Record record{
        .setup = setup_of(options, pair) + ", each a trial; frames go from the first to the second.",
        .environment = environment_of(options, pair),
        .details = details_of(options, pair)};
    add_to(record, all);
    record.failures = sides.close();
    return record;
}

Options read(const po::variables_map& values) {
    Options options = read_links(values, kDefaults);
    const std::size_t most = options.mtu + wire::kEthernetSize + kFcs;
    if (options.sizes.front() < kLeastFrame || options.sizes.back() > most)
        throw std::invalid_argument("--size: with an MTU of " + std::to_string(options.mtu) +
                                    " a frame has " + std::to_string(kLeastFrame) + " to " +
                                    std::to_string(most) + " bytes");
    return options;
}

constexpr Benchmark<Options> kBenchmark{
    kRfc2544,
    "Measures what is between two links as RFC 2544 has it, with frames of several sizes from the first\n"
    "to the second: the throughput, which is the highest rate at which none is lost; the latency at "
    "that\n"
    "rate; how many are lost at each tenth of the highest rate there is; and the longest burst of which\n"
    "none is lost.\n",
    [](po::options_description& options) { describe_links(options, kDefaults); }, read, measure_all};

}  // namespace

Rfc2544Figures medians_of(const std::vector<Rfc2544Figures>& rounds) {
    const auto median = [&](auto value) {
        return median_of(rounds, [value](const Rfc2544Figures& f) { return &(f.*value); }).value_or(0);
    };
    Rfc2544Figures all{.frame_size = rounds.front().frame_size,
                       .highest = median(&Rfc2544Figures::highest),
                       .throughput = median(&Rfc2544Figures::throughput),
                       .back_to_back = static_cast<std::uint64_t>(median(&Rfc2544Figures::back_to_back)),
                       .unlimited = std::ranges::all_of(rounds, &Rfc2544Figures::unlimited)};
    const auto one = std::ranges::find_if(rounds, [](const auto& f) { return f.at_throughput.has_value(); });
    if (one != rounds.end()) all.at_throughput = one->at_throughput;
    using Loss = Rfc2544Figures::Loss;
    const auto most = std::ranges::max_element(rounds, {}, [](const auto& f) { return f.losses.size(); });
    for (std::size_t i = 0; i < most->losses.size(); ++i) {
        const auto loss = [&](auto value) {
            return median_of(rounds,
                             [&](const Rfc2544Figures& f) {
                                 return i < f.losses.size() ? &(f.losses[i].*value) : nullptr;
                             })
                .value_or(0);
        };
        all.losses.push_back(
            {most->losses[i].percent, loss(&Loss::offered), loss(&Loss::lost), loss(&Loss::microseconds)});
    }
    return all;
}

void add_figures(report::Figures& figures, const Rfc2544Figures& found) {
    const auto add = [&](const std::string& name, double value) {
        figures.add({"frames", "throughput", found.frame_size, name}, value);
    };
    add("per_second", found.throughput);
    if (found.at_throughput) {
        add("us_p50", *microseconds(found, 0.5));
        add("us_p99", *microseconds(found, 0.99));
    }
    add("back_to_back_frames", static_cast<double>(found.back_to_back));
    for (const Rfc2544Figures::Loss& loss : found.losses)
        add("lost_at_" + std::to_string(loss.percent) + "_percent", loss.lost);
}

int run_rfc2544(int argc, char** argv) {
    return run_benchmark(kBenchmark, argc, argv);
}

}  // namespace isoplane::perf
