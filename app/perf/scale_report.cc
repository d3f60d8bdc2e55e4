// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "scale_report.hh"

#include <array>
#include <cstdio>
#include <iterator>
#include <vector>

#include "tables.hh"

namespace isoplane::perf {

namespace {

/// A figure of every line: its column in the table, its name in JSON and CSV.
struct Column {
    const char* title;
    const char* name;
    double (*value)(const ScaleFigures& found);
    int digits;
    double scale;
    bool of_process = false;  ///< of all that is simulated in a run, so of a network if that is the only one
};

constexpr Column kColumns[]{
    {"ordered us", "ordered_us_p50", [](const ScaleFigures& f) { return f.ordered_us; }, 2, 1},
    {"99 %", "ordered_us_p99", [](const ScaleFigures& f) { return f.ordered_p99_us; }, 2, 1},
    {"unordered us", "unordered_us_p50", [](const ScaleFigures& f) { return f.unordered_us; }, 2, 1},
    {"added us", "added_us", [](const ScaleFigures& f) { return f.ordered_us - f.unordered_us; }, 2, 1},
    {"pulses/ms", "pulses_per_second", [](const ScaleFigures& f) { return f.pulses_per_second; }, 1, 1e-3},
    {"tokens %", "token_share", [](const ScaleFigures& f) { return f.token_share; }, 1, 100},
    {"frames/ms", "frames_of_host_per_s", [](const ScaleFigures& f) { return f.frames_per_host; }, 0, 1e-3},
    {"frames/pulse", "frames_of_host_per_pulse", [](const ScaleFigures& f) { return f.frames_per_pulse; }, 2,
     1},
    {"CPU ns/pulse", "cpu_ns_of_host_per_pulse", [](const ScaleFigures& f) { return f.cpu_ns_per_pulse; }, 0,
     1},
    {"seconds", "seconds", [](const ScaleFigures& f) { return f.seconds; }, 1, 1},
    {"MB", "memory_mb", [](const ScaleFigures& f) { return f.memory_mb; }, 0, 1, true},
};

std::vector<Column> columns_of(const ScaleOptions& options) {
    std::vector<Column> all(std::begin(kColumns), std::end(kColumns));
    if (options.hosts.size() * options.losses.size() > 1)
        std::erase_if(all, [](const Column& column) { return column.of_process; });
    return all;
}

/// However small it is.
std::string percent(double share) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%g", share * 100);
    return text.data();
}

/// By whom a figure is: with loss it is another's.
std::string by(double loss) {
    return loss == 0 ? "isotach" : "isotach, loss " + percent(loss) + "%";
}

/// What is read from a record again and again.
class Reader {
  public:
    Reader(const report::Record& record, const ScaleOptions& options) : record_(record), options_(options) {}

    double median(unsigned hosts, double loss, const char* name) const {
        return record_.figures.median({"network", by(loss), hosts, name}).value_or(0);
    }
    report::Series by_hosts(const char* name, const char* figure, double scale, report::Role role) const {
        report::Series out{.name = name, .role = role};
        for (const unsigned hosts : options_.hosts)
            out.dots.push_back(
                {static_cast<double>(hosts), median(hosts, options_.losses.front(), figure) * scale});
        return out;
    }
    /// A series for each number of hosts.
    std::vector<report::Series> by_loss(const char* figure, double scale) const {
        std::vector<report::Series> all;
        for (const unsigned hosts : options_.hosts) {
            report::Series& out = all.emplace_back(report::Series{.name = std::to_string(hosts) + " hosts"});
            for (const double loss : options_.losses)
                out.dots.push_back({loss * 100, median(hosts, loss, figure) * scale});
        }
        return all;
    }

  private:
    const report::Record& record_;
    const ScaleOptions& options_;
};

Table table_of(const Reader& reader, const ScaleOptions& options) {
    const bool with_loss = options.losses.size() > 1 || options.losses.front() != 0;
    Table table{
        .name = "scale",
        .title = std::string(options.each.tree ? "Hosts below three levels of switches"
                                               : "Hosts around one switch") +
                 "; frames and CPU time are of one host, microseconds are virtual, figures are medians",
        .lines = {{"hosts"}}};
    if (with_loss) table.lines[0].emplace_back("lost %");
    const std::vector<Column> columns = columns_of(options);
    for (const Column& column : columns)
        table.lines[0].emplace_back(column.title);
    for (const unsigned hosts : options.hosts) {
        for (const double loss : options.losses) {
            std::vector<std::string>& line = table.lines.emplace_back(1, std::to_string(hosts));
            if (with_loss) line.push_back(percent(loss));
            for (const Column& column : columns)
                line.push_back(fixed(reader.median(hosts, loss, column.name) * column.scale, column.digits));
        }
    }
    return table;
}

constexpr const char* kMicroseconds = "microseconds of virtual time, median";
constexpr const char* kPulses = "thousand pulses a second";

void plot_by_hosts(report::Record& record, const Reader& reader) {
    const auto plot = [&](const char* name, const char* title, const char* unit) -> report::Plot& {
        return record.plots.emplace_back(report::Plot{
            .name = name,
            .title = title,
            .x = {.title = "hosts", .scale = report::Scale::kLog, .notation = report::Notation::kBytes},
            .y = {.title = unit}});
    };
    plot("latency", "Ordered and unordered, by the number of hosts", kMicroseconds).series = {
        reader.by_hosts("ordered", "ordered_us_p50", 1, report::Role::kSubject),
        reader.by_hosts("unordered", "unordered_us_p50", 1, report::Role::kLimit)};
    plot("added", "What ordering adds", kMicroseconds).series = {
        reader.by_hosts("added", "added_us", 1, report::Role::kSubject)};
    plot("tokens", "Tokens among all frames", "% of frames").series = {
        reader.by_hosts("tokens", "token_share", 100, report::Role::kSubject)};
    plot("pulses", "How fast logical time goes", kPulses).series = {
        reader.by_hosts("pulses", "pulses_per_second", 1e-3, report::Role::kSubject)};
}

void plot_by_loss(report::Record& record, const Reader& reader) {
    const auto plot = [&](const char* name, const char* title, const char* unit) -> report::Plot& {
        return record.plots.emplace_back(
            report::Plot{.name = name,
                         .title = title,
                         .x = {.title = "% of the frames that leave through a port of a switch are lost"},
                         .y = {.title = unit}});
    };
    plot("loss_added", "What ordering adds, by loss", kMicroseconds).series = reader.by_loss("added_us", 1);
    plot("loss_tokens", "Tokens among all frames, by loss", "% of frames").series =
        reader.by_loss("token_share", 100);
    plot("loss_pulses", "How fast logical time goes, by loss", kPulses).series =
        reader.by_loss("pulses_per_second", 1e-3);
}

}  // namespace

void add_scale(report::Figures& figures, const ScaleOptions& options, unsigned hosts, double loss,
               const ScaleFigures& found) {
    for (const Column& column : columns_of(options))
        figures.add({"network", by(loss), hosts, column.name}, column.value(found));
}

void report_scale(report::Record& record, const ScaleOptions& options) {
    const Reader reader(record, options);
    record.tables.push_back(table_of(reader, options));
    plot_by_hosts(record, reader);
    if (options.losses.size() > 1) plot_by_loss(record, reader);
}

}  // namespace isoplane::perf
