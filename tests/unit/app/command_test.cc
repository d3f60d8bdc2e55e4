// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "command.hh"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "options.hh"

namespace isoplane::app {
namespace {

std::vector<std::string> seen;

int record(int argc, char** argv) {
    seen.assign(argv, argv + argc);
    return 7;
}

constexpr Command kCommands[] = {{"node", "launch a node", record}, {"doctor", "check this machine", record}};

/// What main() would be given for these words: as many pointers, and a null one.
std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> argv(words.size() + 1);
    std::transform(words.begin(), words.end(), argv.begin(), [](std::string& word) { return word.data(); });
    return argv;
}

struct Outcome {
    int code;
    std::string out;
    std::string err;
};

Outcome call(std::vector<std::string> words) {
    words.insert(words.begin(), "isoplane");
    std::vector<char*> argv = pointers(words);
    seen.clear();
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code = dispatch(kCommands, static_cast<int>(words.size()), argv.data());
    return {code, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

TEST(Command, gets_the_arguments_after_the_program) {
    EXPECT_EQ(call({"node", "--role", "echo"}).code, 7);
    EXPECT_EQ(seen, (std::vector<std::string>{"node", "--role", "echo"}));
}

TEST(Command, is_listed_in_the_help_with_its_summary) {
    for (const char* word : {"--help", "-h", "help"}) {
        const Outcome outcome = call({word});
        EXPECT_EQ(outcome.code, kSuccess);
        EXPECT_NE(outcome.out.find("  node        launch a node\n"), std::string::npos) << outcome.out;
    }
}

TEST(Command, is_asked_for_its_own_help) {
    EXPECT_EQ(call({"help", "doctor"}).code, 7);
    EXPECT_EQ(seen, (std::vector<std::string>{"doctor", "--help"}));
}

TEST(Command, that_does_not_exist_is_wrong_usage_with_the_nearest_name) {
    for (const char* word : {"docter", "doct", "dcotor"}) {
        const Outcome outcome = call({word});
        EXPECT_EQ(outcome.code, kWrongUsage);
        EXPECT_EQ(outcome.out, "");
        EXPECT_NE(outcome.err.find("Did you mean `isoplane doctor`?"), std::string::npos) << outcome.err;
    }
    EXPECT_EQ(call({"help", "nodde"}).code, kWrongUsage);
}

TEST(Command, is_not_guessed_from_a_word_far_from_any) {
    EXPECT_EQ(nearest(kCommands, "benchmark"), "");
    EXPECT_EQ(nearest(kCommands, ""), "");
    EXPECT_EQ(nearest(kCommands, "x"), "");
}

TEST(Command, must_be_given) {
    const Outcome outcome = call({});
    EXPECT_EQ(outcome.code, kWrongUsage);
    EXPECT_NE(outcome.err.find("isoplane --help"), std::string::npos);
}

TEST(Command, tells_the_version) {
    const Outcome outcome = call({"--version"});
    EXPECT_EQ(outcome.code, kSuccess);
    EXPECT_EQ(outcome.out.find("isoplane "), 0U);
    EXPECT_NE(outcome.out.find("DPDK"), std::string::npos);
}

std::optional<int> parse(std::vector<std::string> words, std::string* err = nullptr) {
    boost::program_options::options_description options("Options");
    options.add_options()("count", boost::program_options::value<unsigned>(), "how many")("json", "as JSON");
    words.insert(words.begin(), "node");
    std::vector<char*> argv = pointers(words);
    boost::program_options::variables_map values;
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const auto code = parse_options({"node", "[OPTION...]", "Launches a node.\n"}, options,
                                    static_cast<int>(words.size()), argv.data(), values);
    testing::internal::GetCapturedStdout();
    const std::string said = testing::internal::GetCapturedStderr();
    if (err != nullptr) *err = said;
    return code;
}

TEST(Options, let_the_command_go_on_when_they_are_good) {
    EXPECT_EQ(parse({"--count", "3", "--json"}), std::nullopt);
}

TEST(Options, end_the_command_when_help_is_asked_for) {
    EXPECT_EQ(parse({"--help"}), kSuccess);
}

TEST(Options, that_are_wrong_are_named_with_what_to_do) {
    std::string said;
    EXPECT_EQ(parse({"--count", "many"}, &said), kWrongUsage);
    EXPECT_NE(said.find("'many'"), std::string::npos) << said;
    EXPECT_NE(said.find("isoplane node --help"), std::string::npos) << said;
    EXPECT_EQ(parse({"--nothing"}, &said), kWrongUsage);
    EXPECT_NE(said.find("--nothing"), std::string::npos) << said;
    EXPECT_EQ(parse({"stray"}), kWrongUsage);
    EXPECT_EQ(parse({"--count"}), kWrongUsage);
}

TEST(Options, cannot_be_abbreviated) {
    EXPECT_EQ(parse({"--js"}), kWrongUsage);
}

}  // namespace
}  // namespace isoplane::app
