// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gmock/gmock.h>

#include <isoplane/tm/report.hh>

#include "clocks.hh"

namespace isoplane::test {

namespace {

/// Two hosts, of which host 0 or their token manager is configured with another number of tokens ahead.
struct Unlike {
    Unlike(std::uint32_t ahead, std::uint32_t other, bool manager)
        : clocks(topology::single_switch(2), {.exchange = {.ahead = ahead}}) {
        if (manager) {
            clocks.managers.clear();
            clocks.managers.push_back(std::make_unique<tm::TokenManager>(
                clocks.stations.niu(2), clocks.stations.paths(), 2, tm::ExchangeOptions{.ahead = other}));
        } else {
            put(other);
        }
        clocks.want(true);
    }
    void put(std::uint32_t ahead) {
        clocks.sius[0].reset();
        clocks.sius[0] = std::make_unique<siu::Siu>(clocks.stations.niu(0), clocks.stations.paths(),
                                                    siu::SiuOptions{.exchange = {.ahead = ahead}});
        clocks.sius[0]->want(true);
    }
    std::string said_by(const tm::TokenExchange& exchange) const {
        return tm::disagreement(exchange, clocks.stations.topology());
    }

    Clocks clocks;
};

}  // namespace

/// Where tokens are lost, too: before, time stood still sooner or later then, and nobody knew why.
TEST(SiuAhead, who_sends_another_number_of_tokens_ahead_is_named_and_time_does_not_begin) {
    for (const double loss : {0.0, 0.3}) {
        for (const auto& [ahead, other] : {std::pair{1U, 2U}, {2U, 1U}, {2U, 3U}, {4U, 8U}, {64U, 1U}}) {
            for (const bool manager : {false, true}) {
                Unlike unlike(ahead, other, manager);
                for (unsigned port = 0; port < 3; ++port)
                    unlike.clocks.stations.fabric().set(port, {.loss = loss});
                unlike.clocks.stations.run(50ms, 20us);
                const tm::TokenExchange& tm = *unlike.clocks.managers[0];
                const siu::Siu& host = *unlike.clocks.sius[0];
                EXPECT_EQ(tm.complete(), 0U);
                EXPECT_FALSE(host.started());
                const std::string sends = " sends " + std::to_string(manager ? other : ahead);
                EXPECT_THAT(unlike.said_by(host), testing::StartsWith("tm@0" + sends)) << loss;
                EXPECT_THAT(unlike.said_by(tm), testing::HasSubstr("the same tokens-ahead")) << loss;
            }
        }
    }
}

TEST(SiuAhead, who_starts_again_with_the_right_number_is_welcome) {
    Unlike unlike(2, 3, false);
    Clocks& clocks = unlike.clocks;
    clocks.stations.run(50ms, 20us);
    ASSERT_NE(unlike.said_by(*clocks.managers[0]), "");
    clocks.restart(0, 2);
    clocks.want(true);
    ASSERT_NE(clocks.steps_to(100), UINT_MAX);
    EXPECT_EQ(unlike.said_by(*clocks.managers[0]), "");
    EXPECT_EQ(unlike.said_by(*clocks.sius[0]), "");
}

}  // namespace isoplane::test
