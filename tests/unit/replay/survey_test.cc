// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>

#include "made_frames.hh"
#include "replay/survey.hh"

namespace isoplane::test {
namespace {

using capture::Direction;
using replay::Survey;
using namespace std::chrono_literals;

/// A capture at the three ports of a switch, of which the last leads to a token manager.
class SurveyTest : public testing::Test {
  protected:
    SurveyTest() {
        for (const char* name : {"port0", "port1", "port2"})
            writer_->add_interface(name);
    }
    ~SurveyTest() override { std::filesystem::remove(file_); }

    void pass(std::uint32_t from, std::uint32_t to, const Bytes& frame) {
        writer_->add(from, Direction::kIn, now_ += 1us, frame);
        writer_->add(to, Direction::kOut, now_ += 1us, frame);
    }
    Survey survey() {
        writer_->finish();
        return Survey(file_, bar_);
    }

    std::string file_ = testing::TempDir() + "isoplane-survey-" + std::to_string(getpid()) + ".pcapng";
    std::unique_ptr<capture::Writer> writer_ = std::make_unique<capture::Writer>(file_);
    capture::Time now_{0};
    replay::ProgressBar bar_{replay::ProgressBar::Prints::kMeanwhile};
};

TEST_F(SurveyTest, finds_who_the_nodes_are_and_their_ports) {
    pass(0, 1, hello(0, 32));
    pass(1, 0, hello(1, 64));
    pass(2, 0, token(2, 0, 1));
    pass(2, 1, token(2, 1, 1));
    pass(0, 1, data(0, 1, 0, words("message")));
    const Survey found = survey();
    EXPECT_EQ(found.frames, 10U);
    EXPECT_EQ(found.job_key, 7U);
    ASSERT_EQ(found.nodes.size(), 3U);
    EXPECT_EQ(found.nodes.at(1).epoch, 101U);
    EXPECT_EQ(found.nodes.at(1).credit, 64U);
    EXPECT_EQ(found.nodes.at(1).name, "n");
    EXPECT_EQ(found.nodes.at(2).name, "");
    for (std::uint16_t node = 0; node < 3; ++node) {
        const auto port = found.port_of(node);
        ASSERT_TRUE(port);
        EXPECT_EQ(port->interface, node);
        EXPECT_EQ(port->inward, Direction::kOut) << "what leaves the switch there";
    }
    EXPECT_FALSE(found.port_of(3));
}

TEST_F(SurveyTest, knows_a_port_at_the_host_itself) {
    writer_->add(1, Direction::kOut, 1us, hello(1, 64));
    writer_->add(1, Direction::kIn, 2us, hello(0, 64));
    const auto port = survey().port_of(1);
    ASSERT_TRUE(port);
    EXPECT_EQ(port->interface, 1U);
    EXPECT_EQ(port->inward, Direction::kIn);
}

TEST_F(SurveyTest, finds_no_ports_where_directions_are_unknown) {
    writer_->add(0, Direction::kUnknown, 1us, hello(0, 64));
    EXPECT_FALSE(survey().port_of(0));
}

TEST_F(SurveyTest, refuses_what_is_not_of_isoplane_and_frames_in_udp) {
    writer_->add(0, Direction::kIn, 1us, Bytes(60));
    writer_->finish();
    EXPECT_THROW(Survey(file_, bar_), std::runtime_error);
    const Bytes plain = hello(0, 64);
    const auto frame = std::span(plain).subspan<wire::kEthernetSize>();
    Bytes in_udp(wire::kUdpEnvelopeSize);
    wire::encode_udp(std::span(in_udp).first<wire::kUdpEnvelopeSize>(), kFar, kNear,
                     {.source_address = 1,
                      .destination_address = 2,
                      .source_port = 3,
                      .destination_port = wire::kDefaultUdpPort},
                     frame.size());
    in_udp.insert(in_udp.end(), frame.begin(), frame.end());
    writer_->add(0, Direction::kIn, 2us, in_udp);
    EXPECT_THROW(survey(), std::runtime_error);
}

}  // namespace
}  // namespace isoplane::test
