// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "all.hh"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>

#include "../report/document.hh"
#include "batch.hh"
#include "benchmark.hh"
#include "names.hh"

namespace isoplane::perf {

namespace {

/// What is run in any case; a document may ask for more.
const std::vector<std::string> kRuns{
    "pair", "pair --link virtio", "portals", "active", "channel", "order", "memory", "rfc2544", "scale"};

const char* const kText =
    "Runs every benchmark, each in a process of its own, over rings in this process and, for messages, over\n"
    "virtio. With --update, also those that a document asks for, whose tables are then written anew between\n"
    "two lines as\n\n"
    "  <!-- figures: isoplane perf pair --link virtio: round_trip bandwidth -->\n"
    "  <!-- end of figures -->\n\n"
    "where all else stays as it is, and the images between such lines that say plots instead of figures\n"
    "are drawn anew. The names of a benchmark's tables are in what --json writes.\n";

std::string content_of(const std::string& file) {
    std::ifstream in(file);
    if (!in) throw std::invalid_argument("--update: the file '" + file + "' cannot be read");
    return {std::istreambuf_iterator<char>(in), {}};
}

void check_benchmark(const std::string& name) {
    if (const std::string wrong = unknown_benchmark(name); !wrong.empty()) throw std::invalid_argument(wrong);
}

/// What is to be run, of all benchmarks or of one only. What a document asks for is checked before that.
std::vector<std::string> runs_of(const std::string& document, const std::string& only) {
    std::vector<std::string> runs = kRuns;
    for (const std::string& command : report::commands_in(document)) {
        const Words words = split(command);
        check_benchmark(words.empty() ? "" : words[0]);
        if (std::ranges::find(runs, command) == runs.end()) runs.push_back(command);
    }
    if (only.empty()) return runs;
    check_benchmark(only);
    std::erase_if(runs, [&](const std::string& run) { return split(run)[0] != only; });
    return runs;
}

struct Done {
    std::string command;  ///< as a document names it
    report::Record record;
};

void update(const std::string& file, const std::string& document, const std::vector<Done>& all) {
    const auto run_of = [&](const std::string& command) -> const report::Record* {
        const auto found = std::ranges::find(all, command, &Done::command);
        return found == all.end() ? nullptr : &found->record;
    };
    write_to(file, report::fill_in(document, run_of));
    for (const report::Image& image : report::images_of(document, run_of))
        write_to(std::filesystem::path(file).parent_path() / image.file, image.content);
}

int run_with(const po::variables_map& values) {
    const Outputs outputs = read_outputs(values);
    const bool quick = values["quick"].as<bool>();
    const std::string file = values["update"].as<std::string>();
    const std::string document = file.empty() ? std::string() : content_of(file);
    check_writable(file);
    const runtime::StopSignal signal;
    std::vector<Done> all;
    bool failed = false;
    for (const std::string& run : runs_of(document, values["only"].as<std::string>())) {
        Words words = split(run);
        if (quick) words.emplace_back("--quick");
        try {
            all.push_back({run, run_one(words, outputs.tables(), signal)});
        } catch (const std::exception& error) {
            if (signal.raised()) throw;
            std::fprintf(stderr, "isoplane perf all: %s\n", error.what());
            failed = true;
        }
    }
    if (all.empty()) return app::kRunFailed;
    if (!file.empty()) update(file, document, all);
    std::vector<report::Record> records;
    for (Done& done : all)
        records.push_back(std::move(done.record));
    const int code = deliver("perf all", records, outputs);
    return failed ? static_cast<int>(app::kRunFailed) : code;
}

}  // namespace

int run_all(int argc, char** argv) {
    po::options_description visible("Options");
    visible.add_options()                                                                    //
        ("quick", po::bool_switch(), "only see that all of it runs: figures are of no use")  //
        ("only", po::value<std::string>()->value_name("BENCHMARK")->default_value("", "all"),
         "those of one benchmark")  //
        ("update", po::value<std::string>()->value_name("FILE")->default_value("", "no"),
         "a document whose tables are to be written anew");
    describe_outputs(visible);
    po::variables_map values;
    if (const auto end = app::parse_options({"perf all", "[OPTION...]", kText}, visible, argc, argv, values))
        return *end;
    try {
        return run_with(values);
    } catch (const std::invalid_argument& error) {
        return app::wrong_usage("perf all", error.what());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "isoplane perf all: %s\n", error.what());
        return app::kRunFailed;
    }
}

}  // namespace isoplane::perf
