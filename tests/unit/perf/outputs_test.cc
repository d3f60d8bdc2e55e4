// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "perf/outputs.hh"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace isoplane::perf {
namespace {

namespace po = boost::program_options;

Outputs outputs_of(const std::vector<std::string>& words) {
    po::options_description options;
    describe_outputs(options);
    po::variables_map values;
    po::store(po::command_line_parser(words).options(options).run(), values);
    return read_outputs(values);
}

class OutputsTest : public testing::Test {
  protected:
    ~OutputsTest() override { std::filesystem::remove(file_); }

    std::string file_ = testing::TempDir() + "isoplane-outputs-" + std::to_string(getpid());
};

TEST_F(OutputsTest, are_refused_before_a_measurement_that_could_not_be_written) {
    for (const char* option : {"--json", "--csv", "--report"})
        EXPECT_THROW(outputs_of({option, file_ + "/in-no-directory"}), std::runtime_error) << option;
    EXPECT_THROW(outputs_of({"--json", testing::TempDir()}), std::runtime_error) << "a directory";
}

TEST_F(OutputsTest, are_left_as_they_are_until_there_is_something_to_write) {
    EXPECT_EQ(outputs_of({"--csv", file_}).csv, file_);
    EXPECT_FALSE(std::filesystem::exists(file_));
    std::ofstream(file_) << "earlier";
    outputs_of({"--csv", file_});
    EXPECT_EQ(std::filesystem::file_size(file_), 7U);
}

TEST_F(OutputsTest, may_go_to_a_pipe_whose_reader_comes_later) {
    ASSERT_EQ(mkfifo(file_.c_str(), 0600), 0);
    EXPECT_EQ(outputs_of({"--json", file_}).json, file_);
}

}  // namespace
}  // namespace isoplane::perf
