// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "outputs.hh"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <isoplane/runtime/json_text.hh>
#include <stdexcept>
#include <system_error>

#include "../command.hh"
#include "../report/comparison.hh"
#include "../report/page.hh"

namespace isoplane::perf {

namespace po = boost::program_options;

namespace {

constexpr std::array kWithValue{"--json", "--csv", "--report", "--compare", "--fail-below"};

void complain(const std::string& name, const std::string& sentence) {
    std::fprintf(stderr, "isoplane %s: %s\n", name.c_str(), sentence.c_str());
}

/// Returns whether there was anything to say.
bool complain_about(const std::string& name, const report::Record& record, bool check) {
    for (const std::string& failure : record.failures)
        complain(name, failure);
    bool complained = !record.failures.empty();
    for (const report::Target& target : record.targets) {
        if (!check || !target.missed()) continue;
        complain(name,
                 "the target '" + target.sentence + "' was missed: it is " + report::fixed(*target.value, 2));
        complained = true;
    }
    return complained;
}

std::runtime_error not_written(const std::string& file) {
    return std::runtime_error("the file '" + file + "' cannot be written: " + std::strerror(errno) +
                              "; give another one, or make room for it");
}

}  // namespace

void describe_outputs(po::options_description& options) {
    const auto file = [] { return po::value<std::string>()->value_name("FILE")->default_value("", "no"); };
    options.add_options()  //
        ("json", file(),
         "write all figures as JSON, those of every round; - is standard output, without the tables")  //
        ("csv", file(), "the same as CSV, a line for each figure")                                     //
        ("report", file(), "write a page of HTML, with plots")                                         //
        ("compare", file(), "an earlier --json: ratios to it with confidence intervals")               //
        ("fail-below", po::value<double>()->value_name("RATIO"),
         "exit 1 when a figure is surely less than so many times as good as the earlier one")  //
        ("check", po::bool_switch(), "exit 1 when a target is missed");
}

Outputs read_outputs(const po::variables_map& values) {
    const auto word = [&](const char* option) { return values[option].as<std::string>(); };
    Outputs outputs{.json = word("json"),
                    .csv = word("csv"),
                    .page = word("report"),
                    .earlier = word("compare"),
                    .check = values["check"].as<bool>()};
    const std::array files{std::pair{"--json", &outputs.json}, std::pair{"--csv", &outputs.csv},
                           std::pair{"--report", &outputs.page}};
    const char* first = nullptr;
    for (const auto& [option, file] : files) {
        check_writable(*file);
        if (*file != "-") continue;
        if (first != nullptr)
            throw std::invalid_argument(std::string(first) + " - and " + option +
                                        " - cannot both have standard output; give one a file");
        first = option;
    }
    if (values.count("fail-below") != 0) {
        outputs.fail_below = values["fail-below"].as<double>();
        if (outputs.earlier.empty())
            throw std::invalid_argument(
                "--fail-below has nothing to compare with; give --compare a file that --json wrote");
        if (!(*outputs.fail_below > 0 && std::isfinite(*outputs.fail_below)))
            throw std::invalid_argument("--fail-below must be a number above 0, as 0.9");
    }
    if (!outputs.earlier.empty()) outputs.before = report::read_records(outputs.earlier);
    return outputs;
}

std::string command_of(int argc, char** argv) {
    std::string command = "isoplane perf";
    for (int i = 0; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--check") continue;
        const std::string name = word.substr(0, word.find('='));
        if (std::ranges::find(kWithValue, name) != kWithValue.end()) {
            i += name == word ? 1 : 0;
            continue;
        }
        command += " " + word;
    }
    return command;
}

int deliver(const std::string& name, const std::vector<report::Record>& records, const Outputs& outputs) {
    std::optional<report::Comparison> comparison;
    if (!outputs.earlier.empty()) comparison = report::compare(outputs.before, records, outputs.earlier);
    nlohmann::json json = report::to_json(records);
    if (comparison) json["comparison"] = report::to_json(*comparison);
    if (!outputs.json.empty()) write_to(outputs.json, runtime::json_text(json, 2) + "\n");
    if (!outputs.csv.empty()) write_to(outputs.csv, report::to_csv(records));
    if (!outputs.page.empty()) write_to(outputs.page, report::to_page(records, comparison));
    if (outputs.tables()) {
        // Those of several runs each has printed itself.
        if (records.size() == 1) write_to("-", report::to_text(records.front()));
        if (comparison) write_to("-", report::to_text(*comparison));
    }
    bool complained = false;
    for (const report::Record& record : records)
        complained |= complain_about(name, record, outputs.check);
    if (comparison && outputs.fail_below) {
        for (const std::string& sentence : report::below(*comparison, *outputs.fail_below)) {
            complain(name, sentence);
            complained = true;
        }
    }
    return complained ? app::kRunFailed : app::kSuccess;
}

void write_to(const std::string& file, const std::string& text) {
    if (file == "-") {
        std::fputs(text.c_str(), stdout);
        return;
    }
    std::ofstream out(file);
    out << text;
    out.close();
    if (!out) throw not_written(file);
}

void check_writable(const std::string& file) {
    std::error_code none;
    const std::filesystem::file_status status = std::filesystem::status(file, none);
    const bool exists = std::filesystem::exists(status);
    // A pipe would have its reader told that this was all.
    if (file.empty() || file == "-" || (exists && std::filesystem::is_other(status))) return;
    if (!std::ofstream(file, std::ios::app)) throw not_written(file);
    if (!exists) std::filesystem::remove(file, none);
}

}  // namespace isoplane::perf
