// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "node/console.hh"

#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>
#include <utility>
#include <vector>

#include "commands.hh"

namespace isoplane::node {
namespace {

using namespace std::chrono_literals;
using End = Console::End;

/// Puts a pipe with this text in the place of standard input, for as long as it lives.
class Typed {
  public:
    explicit Typed(const std::string& text) {
        std::array<int, 2> ends{};
        if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
        if (::write(ends[1], text.data(), text.size()) != static_cast<ssize_t>(text.size()))
            throw std::runtime_error("the pipe takes no text");
        ::close(ends[1]);
        ::dup2(ends[0], STDIN_FILENO);
        ::close(ends[0]);
    }
    ~Typed() {
        ::dup2(before_, STDIN_FILENO);
        ::close(before_);
    }
    Typed(const Typed&) = delete;
    Typed& operator=(const Typed&) = delete;

  private:
    int before_ = ::dup(STDIN_FILENO);
};

class ConsoleTest : public PromptTest {
  protected:
    /// Runs a console to its end and keeps what it said.
    End run(const ConsoleOptions& options) {
        End end{};
        said_ = said([&] {
            Console console(
                prompt_, signal_, [this] { print(); }, [this] { return statistics_ == enough_; });
            end = console.run(options);
        });
        return end;
    }

    void print() {
        ++statistics_;
        std::this_thread::sleep_for(std::exchange(pause_, 0ms));
        printed_.push_back(std::chrono::steady_clock::now());
    }

    runtime::StopSignal signal_;
    unsigned statistics_ = 0;             ///< how often they were printed
    std::chrono::milliseconds pause_{0};  ///< that the first time takes
    std::vector<std::chrono::steady_clock::time_point> printed_{};
    unsigned enough_ = unsigned(-1);  ///< of them, and the work is done
    Said said_;
};

TEST_F(ConsoleTest, runs_the_commands_in_order_before_anything_else) {
    enough_ = 0;
    EXPECT_EQ(run({.commands = {"show pool", "set rate 1pps"}, .headless = true}), End::kFinished);
    EXPECT_EQ(heard_, "show.pool. set.rate.1pps. ");
}

TEST_F(ConsoleTest, ends_at_a_line_that_is_no_command_and_names_it) {
    EXPECT_EQ(run({.commands = {"show pool", "shwo", "show stage"}, .headless = true}), End::kWrongCommand);
    EXPECT_EQ(heard_, "show.pool. ");
    EXPECT_NE(said_.err.find("--command, line 2: 'shwo' ended the node"), std::string::npos) << said_.err;
}

TEST_F(ConsoleTest, ends_at_a_command_that_fails) {
    EXPECT_EQ(run({.commands = {"fail", "show pool"}, .headless = true}), End::kFailed);
    EXPECT_EQ(heard_, "");
}

TEST_F(ConsoleTest, quits_in_the_middle_of_its_commands) {
    EXPECT_EQ(run({.commands = {"quit", "show pool"}, .headless = true}), End::kAsked);
    EXPECT_EQ(heard_, "");
}

TEST_F(ConsoleTest, runs_a_script_after_the_commands) {
    std::string path = testing::TempDir() + "isoplane-console-XXXXXX";
    const int file = ::mkstemp(path.data());
    ASSERT_GE(file, 0);
    ::close(file);
    std::ofstream(path) << "# a comment\nshow stage\nquit\n";
    EXPECT_EQ(run({.commands = {"show pool"}, .script = path, .headless = true}), End::kAsked);
    ::unlink(path.c_str());
    EXPECT_EQ(heard_, "show.pool. show.stage. ");
}

TEST_F(ConsoleTest, says_which_script_cannot_be_read) {
    EXPECT_EQ(run({.script = "/nowhere/script", .headless = true}), End::kWrongCommand);
    EXPECT_NE(said_.err.find("'/nowhere/script': No such file"), std::string::npos) << said_.err;
}

TEST_F(ConsoleTest, passes_over_a_wrong_line_from_a_pipe_and_takes_one_without_an_end) {
    const Typed typed("show pool\nshwo\nset rate 1pps\nshow stage");
    EXPECT_EQ(run({}), End::kAsked);
    EXPECT_EQ(heard_, "show.pool. set.rate.1pps. show.stage. ");
}

TEST_F(ConsoleTest, leaves_standard_input_alone_when_headless) {
    const Typed typed("show pool\n");
    EXPECT_EQ(run({.headless = true, .duration = 1ms}), End::kTimeUp);
    EXPECT_EQ(heard_, "");
}

TEST_F(ConsoleTest, prints_statistics_again_and_again_until_the_work_is_done) {
    enough_ = 3;
    EXPECT_EQ(run({.headless = true, .stats_period = 1ms}), End::kFinished);
}

TEST_F(ConsoleTest, prints_statistics_once_for_all_the_times_it_was_kept_from_it) {
    enough_ = 3;
    pause_ = 500ms;
    EXPECT_EQ(run({.headless = true, .stats_period = 100ms}), End::kFinished);
    EXPECT_GE(printed_.at(2) - printed_.at(0), 100ms);
}

TEST_F(ConsoleTest, ends_at_a_signal) {
    std::raise(SIGTERM);
    EXPECT_EQ(run({.headless = true}), End::kAsked);
}

}  // namespace
}  // namespace isoplane::node
