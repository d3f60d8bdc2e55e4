// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "comparison.hh"

#include <algorithm>

#include "ruler.hh"

namespace isoplane::report {

namespace {

std::string title_of(const Change& change) {
    const FigureName& name = change.name;
    std::string title = change.benchmark + ": " + name.what + " by " + name.by;
    if (name.at != 0) title += " at " + label_of(name.at, Notation::kBytes);
    return title + ", " + name.figure;
}

std::string interval_of(const Ratio& ratio) {
    return ratio.low ? fixed(*ratio.low, 3) + " to " + fixed(*ratio.high, 3) : "-";
}

std::string verdict_of(const Ratio& ratio) {
    if (!ratio.low) return "measured once";
    if (!ratio.significant()) return "not significant";
    return ratio.value > 1 ? "better" : "worse";
}

void note_differences(Comparison& comparison, const Record& before, const Record& now) {
    for (const auto& [name, value] : now.environment.items) {
        if (name == "time" || name == "load" || name == "isoplane") continue;
        const std::string was = before.environment.at(name);
        const std::string sentence = name + " was " + (was.empty() ? "not noted" : was) + ", is " + value;
        if (was != value &&
            std::ranges::find(comparison.differences, sentence) == comparison.differences.end())
            comparison.differences.push_back(sentence);
    }
}

void add_changes(Comparison& comparison, const Record& before, const Record& now) {
    for (const FigureName& name : now.figures.names()) {
        const std::vector<double>& samples = now.figures.samples(name);
        const std::vector<double>& earlier = before.figures.samples(name);
        auto ratio = more_is_better(name.figure) ? ratio_of(samples, earlier) : ratio_of(earlier, samples);
        if (!ratio) continue;
        if (!ratio->low) ++comparison.only_once;
        comparison.changes.push_back({.benchmark = now.benchmark,
                                      .name = name,
                                      .before = *before.figures.median(name),
                                      .now = *now.figures.median(name),
                                      .ratio = *ratio});
    }
}

}  // namespace

std::size_t Comparison::significant() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(changes, [](const Change& change) { return change.ratio.significant(); }));
}

Comparison compare(const std::vector<Record>& before, const std::vector<Record>& now,
                   const std::string& file) {
    Comparison comparison{.file = file};
    for (const Record& record : now) {
        // By the same command; where there is none, by the same benchmark, and the command is a difference.
        auto found = std::ranges::find_if(before, [&](const Record& earlier) {
            return earlier.benchmark == record.benchmark && earlier.command == record.command;
        });
        if (found == before.end()) found = std::ranges::find(before, record.benchmark, &Record::benchmark);
        if (found == before.end()) continue;
        if (found->command != record.command)
            comparison.differences.push_back("the command was '" + found->command + "', is '" +
                                             record.command + "'");
        note_differences(comparison, *found, record);
        add_changes(comparison, *found, record);
    }
    return comparison;
}

Table table_of(const Comparison& comparison, bool all) {
    Table table{.name = "comparison",
                .title = "Compared with " + comparison.file + "; above 1 is better",
                .lines = {{"figure", "was", "is", "ratio", "95 % interval", "verdict"}}};
    for (const Change& change : comparison.changes) {
        if (!all && !change.ratio.significant()) continue;
        table.lines.push_back({title_of(change), label_of(change.before, Notation::kNumber),
                               label_of(change.now, Notation::kNumber), fixed(change.ratio.value, 3),
                               interval_of(change.ratio), verdict_of(change.ratio)});
    }
    return table;
}

std::string summary_of(const Comparison& comparison) {
    const std::size_t all = comparison.changes.size();
    if (all == 0) return "Nothing was measured in both runs.";
    const std::size_t judged = all - comparison.only_once;
    std::string text = "Of " + std::to_string(all) + " figures that both runs have, " +
                       std::to_string(comparison.significant()) +
                       " differ significantly; by chance alone, about " +
                       fixed(0.05 * static_cast<double>(judged), 0) + " would seem to.";
    if (comparison.only_once > 0)
        text += " Of " + std::to_string(comparison.only_once) +
                " nothing can be said, as one of the runs measured them once only: use --rounds.";
    if (comparison.differences.empty()) return text;
    text += " The runs were not made alike:";
    for (const std::string& difference : comparison.differences)
        text += (&difference == &comparison.differences.front() ? " " : "; ") + difference;
    return text + ".";
}

std::string to_text(const Comparison& comparison) {
    std::string text = "\n" + summary_of(comparison) + "\n";
    if (comparison.significant() > 0) text += "\n" + report::to_text(table_of(comparison, false));
    return text;
}

nlohmann::json to_json(const Comparison& comparison) {
    nlohmann::json out{{"file", comparison.file},
                       {"differences", comparison.differences},
                       {"changes", nlohmann::json::array()}};
    const auto number = [](std::optional<double> value) {
        return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
    };
    for (const Change& change : comparison.changes)
        out["changes"].push_back({{"benchmark", change.benchmark},
                                  {"what", change.name.what},
                                  {"by", change.name.by},
                                  {"at", change.name.at},
                                  {"figure", change.name.figure},
                                  {"was", change.before},
                                  {"is", change.now},
                                  {"ratio", change.ratio.value},
                                  {"low", number(change.ratio.low)},
                                  {"high", number(change.ratio.high)},
                                  {"verdict", verdict_of(change.ratio)}});
    return out;
}

std::vector<std::string> below(const Comparison& comparison, double limit) {
    std::vector<std::string> sentences;
    for (const Change& change : comparison.changes) {
        if (change.is_below(limit))
            sentences.push_back(title_of(change) + " is " + fixed(change.ratio.value, 3) +
                                " times as good as it was (" + interval_of(change.ratio) + "), below " +
                                fixed(limit, 2));
    }
    return sentences;
}

}  // namespace isoplane::report
