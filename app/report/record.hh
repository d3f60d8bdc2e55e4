// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "environment.hh"
#include "figures.hh"
#include "plot.hh"
#include "table.hh"
#include "target.hh"

namespace isoplane::report {

/// Which resource a rate was bound by.
struct Bound {
    std::string by;        ///< who was measured
    double at = 0;         ///< as FigureName::at
    std::string resource;  ///< "sender's CPU", "link" …; "unknown" when nothing that was measured tells
    std::string reason;    ///< what was measured that tells so
};

/// All there is to say about a run of a benchmark.
struct Record {
    std::string benchmark;  ///< its name
    std::string summary;    ///< what it measures, in a line
    std::string command;    ///< what was run, as "isoplane perf pair --link virtio"
    std::string setup;      ///< what was measured how, in a sentence
    Environment environment{};
    Figures figures{};            ///< what programs compare
    std::vector<Table> tables{};  ///< what people read
    std::vector<Plot> plots{};    ///< what people look at
    std::vector<Bound> bounds{};
    std::vector<Target> targets{};
    std::vector<std::string> failures{};                ///< sentences
    nlohmann::json details = nlohmann::json::object();  ///< what only this benchmark has
};

std::string to_text(const Record& record);
/// A line for each figure, without and with the names of the columns.
std::string csv_lines(const Record& record);
std::string to_csv(const std::vector<Record>& records);

/// The details beside what all have in common.
nlohmann::json to_json(const Record& record);
/// Of one run the record, of several an object with all of them.
nlohmann::json to_json(const std::vector<Record>& records);
/// Throws std::invalid_argument with a sentence when it is no record.
Record record_of(const nlohmann::json& json);
/// Those of a file that either of the above has been written to. Throws std::runtime_error with a sentence.
std::vector<Record> read_records(const std::string& file);

}  // namespace isoplane::report
