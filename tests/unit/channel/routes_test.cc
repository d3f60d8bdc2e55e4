// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <isoplane/channel/routes.hh>
#include <stdexcept>

namespace isoplane::test {

using channel::Routes;

TEST(Routes, have_a_zero_route_only_between_two) {
    EXPECT_EQ(Routes(0, 2).find(0), 1);
    EXPECT_EQ(Routes(1, 2).find(0), 0);
    EXPECT_EQ(Routes(1, 3).find(0), std::nullopt);
    EXPECT_EQ(Routes(0, 1).find(0), std::nullopt);
}

TEST(Routes, lead_where_they_were_set_to_last) {
    Routes routes(0, 4);
    EXPECT_EQ(routes.find(7), std::nullopt);
    EXPECT_TRUE(routes.set(7, 2));
    EXPECT_EQ(routes.find(7), 2);
    EXPECT_TRUE(routes.set(7, 0));
    EXPECT_EQ(routes.find(7), 0);
    EXPECT_FALSE(routes.set(7, 4));
    EXPECT_FALSE(routes.set(0, 1));
    EXPECT_FALSE(routes.set(Routes::kMost, 1));
    EXPECT_EQ(routes.find(Routes::kMost), std::nullopt);
    EXPECT_EQ(routes.find(7), 0);
    routes.clear();
    EXPECT_EQ(routes.find(7), std::nullopt);
}

TEST(Routes, take_the_next_free_number) {
    Routes routes(0, 4);
    EXPECT_EQ(routes.add(3), 1);
    routes.set(2, 1);
    EXPECT_EQ(routes.add(2), 3);
    EXPECT_EQ(routes.find(1), 3);
    EXPECT_EQ(routes.find(3), 2);
    EXPECT_EQ(routes.add(4), std::nullopt);
    for (unsigned id = 4; id < Routes::kMost; ++id)
        ASSERT_EQ(routes.add(1), id);
    EXPECT_EQ(routes.add(1), std::nullopt);
}

/// What is said about a route file with that in it; nothing when all is well.
class RouteFile : public testing::Test {
  protected:
    ~RouteFile() override { std::filesystem::remove(path); }
    std::string load(const std::string& text) {
        std::ofstream(path) << text;
        try {
            routes.load(path, {"alpha", "beta", "gamma"});
        } catch (const std::runtime_error& error) {
            return std::string(error.what()).substr(path.size());
        }
        return "";
    }
    std::string path = testing::TempDir() + "isoplane_routes_" + std::to_string(getpid());
    Routes routes{0, 3};
};

TEST_F(RouteFile, names_nodes_or_numbers_them) {
    EXPECT_EQ(load("# id node\n\n1 alpha\n  2\t gamma # the last\n12 1\n"), "");
    EXPECT_EQ(routes.find(1), 0);
    EXPECT_EQ(routes.find(2), 2);
    EXPECT_EQ(routes.find(12), 1);
    EXPECT_EQ(routes.find(3), std::nullopt);
}

TEST_F(RouteFile, is_refused_with_line_and_reason) {
    EXPECT_EQ(load("1 alpha\n2\n"), ", line 2: a route is two words, its number and a node, as in '1 host2'");
    EXPECT_EQ(load("1 alpha beta\n"),
              ", line 1: a route is two words, its number and a node, as in '1 host2'");
    EXPECT_EQ(load("0 alpha\n"), ", line 1: '0' is no number of a route; give one from 1 to 4095");
    EXPECT_EQ(load("4096 alpha\n"), ", line 1: '4096' is no number of a route; give one from 1 to 4095");
    EXPECT_EQ(load("x alpha\n"), ", line 1: 'x' is no number of a route; give one from 1 to 4095");
    EXPECT_EQ(load("1 delta\n"), ", line 1: there is no node 'delta'; give a name, or a number below 3");
    EXPECT_EQ(load("1 3\n"), ", line 1: there is no node '3'; give a name, or a number below 3");
    try {
        routes.load(path + "x", {});
        FAIL();
    } catch (const std::runtime_error& error) {
        EXPECT_EQ(std::string(error.what()),
                  "cannot read the route file " + path + "x; see that it is there");
    }
}

}  // namespace isoplane::test
