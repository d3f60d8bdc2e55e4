// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <isoplane/job/settings.hh>

namespace isoplane::job {
namespace {

class SettingsTest : public testing::Test {
  protected:
    SettingsTest() {
        char name[] = "/tmp/isoplane-settings-XXXXXX";
        directory = mkdtemp(name);
        std::ofstream(directory / "fmconfig") << "0 alice bob carol\n";
    }
    ~SettingsTest() override { std::filesystem::remove_all(directory); }

    Settings load(const std::string& text) {
        std::ofstream(directory / "node.conf") << text;
        return load_settings(directory / "node.conf");
    }
    std::string complaint(const std::string& text) {
        try {
            load(text);
        } catch (const topology::Error& error) {
            return error.what();
        }
        return "nothing";
    }
    static constexpr const char* kLeast = "fmconfig=fmconfig\nlink=ring:x\nid=1\n";

    std::filesystem::path directory;
};

TEST_F(SettingsTest, says_who_this_node_is_and_who_else_is_there) {
    const Settings settings = load(kLeast);
    EXPECT_EQ(settings.node(), 1);
    EXPECT_EQ(settings.hosts(), (std::vector<std::string>{"alice", "bob", "carol"}));
    EXPECT_EQ(settings.link, "ring:x");
    EXPECT_EQ(settings.progress, Progress::kInline);
    EXPECT_EQ(settings.mtu, 1500U);
}

TEST_F(SettingsTest, finds_the_number_of_a_name) {
    EXPECT_EQ(load("fmconfig=fmconfig\nlink=ring:x\nname=carol\n").node(), 2);
}

TEST_F(SettingsTest, reads_the_keys_of_its_own) {
    const Settings settings =
        load(std::string(kLeast) + "progress=lcore\nmtu=9000\npackets=2047\nsilence=0.5\nhello-limit=3\n");
    EXPECT_EQ(settings.progress, Progress::kLcore);
    EXPECT_EQ(settings.mtu, 9000U);
    EXPECT_EQ(settings.packets, 2047U);
    EXPECT_EQ(settings.silence, std::chrono::milliseconds(500));
    EXPECT_EQ(settings.hello_limit, std::chrono::seconds(3));
}

TEST_F(SettingsTest, refuses_what_does_not_fit_and_says_where) {
    EXPECT_NE(complaint(std::string(kLeast) + "progress=fast\n").find("node.conf:4"), std::string::npos);
    EXPECT_NE(complaint(std::string(kLeast) + "mtu=12\n").find("256 to 9216"), std::string::npos);
    EXPECT_NE(complaint(std::string(kLeast) + "silence=-1\n").find("seconds"), std::string::npos);
    EXPECT_NE(complaint("fmconfig=fmconfig\nid=1\n").find("link=SPEC"), std::string::npos);
    EXPECT_NE(complaint("link=ring:x\nid=1\n").find("fmconfig=FILE"), std::string::npos);
    EXPECT_NE(complaint("fmconfig=fmconfig\nlink=ring:x\n").find("id=N"), std::string::npos);
}

TEST_F(SettingsTest, tells_a_program_that_was_started_alone_how_to_start_it) {
    unsetenv("ISOPLANE_CONFIG");
    try {
        settings_from_environment();
        FAIL() << "found settings nowhere";
    } catch (const std::runtime_error& error) {
        EXPECT_NE(std::string(error.what()).find("isoplane run -n 2"), std::string::npos);
    }
}

}  // namespace
}  // namespace isoplane::job
