// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// What a NAL says of itself.
#include <nlohmann/json.hpp>

#include "nal_test.hh"

namespace isoplane::test {

TEST_F(NalTest, describes_what_it_has_carried_until_that_is_cleared) {
    start();
    put(1000);
    hear();
    release();
    nlohmann::json report;
    nal_->describe(report);
    EXPECT_EQ(report.at("begun"), 1);
    EXPECT_EQ(report.at("arrived"), 0);
    ASSERT_EQ(report.at("planes").size(), 1U);
    EXPECT_EQ(report["planes"][0].at("nodes"), 1);
    EXPECT_EQ(report["planes"][0].at("dead"), 0);
    EXPECT_GT(report["planes"][0].at("frames_sent"), 0);
    ASSERT_EQ(report.at("interfaces").size(), 1U);
    EXPECT_EQ(report["interfaces"][0].at("pid"), 1);
    EXPECT_EQ(report["interfaces"][0].at("queues"), 1);
    EXPECT_EQ(report["interfaces"][0].at("sent"), 1);
    EXPECT_EQ(report["interfaces"][0].at("sent_bytes"), 1000);
    nal_->clear_counters();
    nal_->describe(report);
    EXPECT_EQ(report.at("begun"), 0);
}

TEST_F(NalTest, counts_what_it_cannot_read_as_malformed) {
    start();
    const std::array<std::byte, 3> short_one{};
    ASSERT_TRUE(other_->send(0, Protocol::kPortals, short_one));
    std::array<std::byte, wire::kPortalsPullSize> unknown{};
    wire::portals_layout::Kind::put(unknown.data(), 99);
    ASSERT_TRUE(other_->send(0, Protocol::kPortals, unknown));
    run(200us);
    nlohmann::json report;
    nal_->describe(report);
    EXPECT_EQ(report.at("malformed"), 2);
    EXPECT_EQ(report.at("arrived"), 0);
}

/// Somebody who asks for what was never offered, or says that it is done, changes nothing.
TEST_F(NalTest, gives_nothing_of_what_it_does_not_know) {
    start();
    pull(0x7fffffff, 1000);
    say_done(0x7fffffff);
    EXPECT_TRUE(hear().empty());
    put(100);
    EXPECT_TRUE(wire::is_portals_message(hear()));
    release();
}

}  // namespace isoplane::test
