// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>

#include "made_frames.hh"
#include "replay/subject.hh"

namespace isoplane::test {
namespace {

using capture::Direction;
using replay::Subject;
using namespace std::chrono_literals;

/// A stage of node 1, of two that have said hello.
class SubjectTest : public testing::Test {
  protected:
    SubjectTest() {
        capture::Writer writer(file_);
        writer.add_interface("port");
        writer.add(0, Direction::kIn, 1us, hello(0, 64));
        writer.add(0, Direction::kOut, 2us, hello(1, 64));
        writer.finish();
    }
    ~SubjectTest() override { std::filesystem::remove(file_); }

    std::string file_ = testing::TempDir() + "isoplane-subject-" + std::to_string(getpid()) + ".pcapng";
    replay::ProgressBar bar_{replay::ProgressBar::Prints::kMeanwhile};
};

TEST_F(SubjectTest, refuses_frames_longer_than_its_packets) {
    runtime::Pool pool("subject", 1023, runtime::Pool::room_for(1500));
    {
        const replay::Survey survey(file_, bar_);
        Subject subject(survey, {.node = 1}, pool);
        for (const std::size_t size : {std::size_t{3000}, std::size_t{1 << 16} + 60})
            EXPECT_THROW(subject.feed(Bytes(size)), std::runtime_error) << size << " bytes";
        subject.feed(Bytes(1514));
        subject.poll(runtime::Time(1s));
    }
    EXPECT_EQ(pool.in_use(), 0U);
}

}  // namespace
}  // namespace isoplane::test
