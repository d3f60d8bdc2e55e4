// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

#include "made_frames.hh"
#include "replay/trace.hh"

namespace isoplane::test {
namespace {

using replay::Trace;
using replay::TraceFrame;

/// A trace that comes through a pipe, which stays open until its end is written.
class LiveTrace : public ::testing::Test {
  protected:
    LiveTrace() {
        EXPECT_EQ(pipe2(ends_.data(), O_CLOEXEC), 0);
        const pcap_file_header header{.magic = 0xa1b2c3d4,
                                      .version_major = 2,
                                      .version_minor = 4,
                                      .thiszone = 0,
                                      .sigfigs = 0,
                                      .snaplen = 65535,
                                      .linktype = DLT_EN10MB};
        add(std::as_bytes(std::span(&header, 1)));
    }
    ~LiveTrace() override {
        end();
        close(ends_[0]);
    }

    void add(std::span<const std::byte> bytes) {
        EXPECT_EQ(write(ends_[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    }
    void end() {
        if (ends_[1] >= 0) close(ends_[1]);
        ends_[1] = -1;
    }

    /// A frame and what stands before it in the file.
    static Bytes record() {
        constexpr std::uint32_t kSize = 60;
        const std::array<std::uint32_t, 4> header{1000, 0, kSize, kSize};
        const auto bytes = std::as_bytes(std::span(header));
        Bytes all(bytes.begin(), bytes.end());
        all.resize(all.size() + kSize);
        return all;
    }

    std::string path() const { return "/dev/fd/" + std::to_string(ends_[0]); }

    std::array<int, 2> ends_{-1, -1};
};

TEST_F(LiveTrace, tells_its_reader_before_it_waits_and_not_before_it_has_to) {
    const Bytes bytes = record();
    const std::span half = std::span(bytes).first(bytes.size() / 2);
    add(bytes);
    add(bytes);
    Trace trace(path(), "");
    unsigned waits = 0;
    trace.while_waiting([&] {
        switch (++waits) {
            case 1:
                add(half);
                break;
            case 2:
                add(std::span(bytes).subspan(half.size()));
                break;
            default:
                end();
        }
        return true;
    });
    TraceFrame frame;
    ASSERT_TRUE(trace.next(frame) && trace.next(frame));
    EXPECT_EQ(waits, 0U) << "both were there";
    ASSERT_TRUE(trace.next(frame));
    EXPECT_EQ(waits, 2U) << "a part of a frame is none";
    EXPECT_FALSE(trace.next(frame));
    EXPECT_EQ(waits, 3U);
    EXPECT_EQ(trace.damage(), "");
    EXPECT_EQ(trace.frames(), 3U);
}

TEST_F(LiveTrace, lets_out_what_its_reader_throws) {
    Trace trace(path(), "");
    trace.while_waiting([]() -> bool { throw std::logic_error("nobody takes it"); });
    TraceFrame frame;
    EXPECT_THROW(trace.next(frame), std::logic_error);
}

TEST_F(LiveTrace, is_not_damaged_where_it_is_given_up) {
    const Bytes bytes = record();
    add(bytes);
    add(std::span(bytes).first(bytes.size() / 2));
    Trace trace(path(), "");
    unsigned questions = 0;
    trace.while_waiting([&] { return ++questions < 2; });
    TraceFrame frame;
    ASSERT_TRUE(trace.next(frame));
    EXPECT_FALSE(trace.given_up());
    EXPECT_FALSE(trace.next(frame));
    EXPECT_EQ(questions, 2U) << "it is asked again while nothing comes";
    EXPECT_TRUE(trace.given_up());
    EXPECT_EQ(trace.damage(), "");
    EXPECT_FALSE(trace.next(frame)) << "nor is it read any more";
    EXPECT_EQ(questions, 2U);
}

TEST_F(LiveTrace, can_be_given_up_where_it_begins_anew) {
    Trace trace(path(), "");
    trace.while_waiting([] { return false; });
    trace.rewind();
    EXPECT_TRUE(trace.given_up());
    TraceFrame frame;
    EXPECT_FALSE(trace.next(frame));
    EXPECT_EQ(trace.damage(), "");
}

}  // namespace
}  // namespace isoplane::test
