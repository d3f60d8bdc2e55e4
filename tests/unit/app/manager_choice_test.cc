// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "node/manager_choice.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <isoplane/topology/fmconfig.hh>
#include <stdexcept>
#include <string>

namespace isoplane::node {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kOneSwitch = "0 alice bob\n";
constexpr const char* kTwoSwitches = "10 tm10:t alice 20\n20 bob 10\n";

topology::Network network(const char* fmconfig, std::optional<topology::NodeId> id = {}) {
    topology::Network network;
    network.topology = topology::parse_fmconfig(fmconfig);
    network.conf.id = id;
    if (id) network.conf.name = network.topology->name(*id);
    return network;
}

std::string refusal(const topology::Network& network, bool beside_fabric = false) {
    try {
        choose_managers(network, beside_fabric);
    } catch (const std::exception& error) {
        return error.what();
    }
    return "it was taken";
}

TEST(ManagerChoice, is_that_of_the_only_switch) {
    EXPECT_THAT(choose_managers(network(kOneSwitch), false), ElementsAre(2));
}

TEST(ManagerChoice, is_the_one_that_the_id_says) {
    for (const bool beside_fabric : {false, true})
        EXPECT_THAT(choose_managers(network(kTwoSwitches, 3), beside_fabric), ElementsAre(3));
}

TEST(ManagerChoice, is_all_of_them_beside_a_fabric) {
    EXPECT_THAT(choose_managers(network(kTwoSwitches), true), ElementsAre(2, 3));
}

TEST(ManagerChoice, needs_a_network) {
    EXPECT_THAT(refusal({}), HasSubstr("--fmconfig FILE or --network-cfg FILE"));
    EXPECT_THAT(refusal({}, true), HasSubstr("--fmconfig FILE or --network-cfg FILE"));
}

TEST(ManagerChoice, is_no_host) {
    EXPECT_THAT(refusal(network(kTwoSwitches, 1)),
                HasSubstr("node 1, bob, is a host, and the role tm is for a token manager: give that of tm10 "
                          "(node 2), tm@20 (node 3)"));
}

TEST(ManagerChoice, has_to_be_made_among_several_switches) {
    EXPECT_THAT(refusal(network(kTwoSwitches)), HasSubstr("the network has 2 switches"));
}

}  // namespace
}  // namespace isoplane::node
