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

TEST_F(SettingsTest, has_nothing_that_would_be_passed_over) {
    for (const char* line : {"duration=5", "exec=start", "place=siu@1", "stats-period=1"})
        EXPECT_NE(complaint(std::string(kLeast) + line + "\n").find("it is for isoplane node"),
                  std::string::npos)
            << line;
}

TEST_F(SettingsTest, reads_the_keys_of_its_own) {
    const Settings settings =
        load(std::string(kLeast) +
             "progress=lcore\nmtu=9000\npackets=2047\nsilence=0.5\nhello-limit=3\ntrust-fcs=yes\n");
    EXPECT_EQ(settings.progress, Progress::kLcore);
    EXPECT_EQ(settings.mtu, 9000U);
    EXPECT_EQ(settings.packets, 2047U);
    EXPECT_TRUE(settings.trust_fcs);
    EXPECT_FALSE(settings.reads_memory.has_value());
    EXPECT_EQ(load(std::string(kLeast) + "read-memory=yes\n").reads_memory, true);
    EXPECT_EQ(load(std::string(kLeast) + "read-memory=no\n").reads_memory, false);
    EXPECT_EQ(settings.silence, std::chrono::milliseconds(500));
    EXPECT_EQ(settings.hello_limit, std::chrono::seconds(3));
}

TEST_F(SettingsTest, reads_those_of_logical_time) {
    const Settings settings =
        load(std::string(kLeast) + "max-message=2048\noutstanding=5000\npulse-interval=20\nparanoid=yes\n");
    EXPECT_EQ(settings.isotach.max_message, 2048U);
    EXPECT_EQ(settings.isotach.most_outstanding, 5000U);
    EXPECT_EQ(settings.pulse_interval, std::chrono::microseconds(20));
    EXPECT_TRUE(settings.isotach.paranoid);
    for (const char* more : {"silence=0.5\n", "survive=0.5\n"}) {
        EXPECT_EQ(load(std::string(kLeast) + "pulse-interval=125000\n" + more).pulse_interval,
                  std::chrono::milliseconds(125));
        EXPECT_NE(
            complaint(std::string(kLeast) + "pulse-interval=125001\n" + more).find("a quarter of silence"),
            std::string::npos);
    }
    EXPECT_NE(complaint(std::string(kLeast) + "outstanding=0\n").find("from 1 to"), std::string::npos);
    EXPECT_NE(complaint(std::string(kLeast) + "pulse-interval=-1\n").find("from 0 to 1000000"),
              std::string::npos);
}

TEST_F(SettingsTest, takes_further_links_for_planes) {
    EXPECT_TRUE(load(kLeast).planes.empty());
    const Settings settings = load(std::string(kLeast) + "link=ring:y\nlink=ring:z\n");
    EXPECT_EQ(settings.link, "ring:x");
    EXPECT_EQ(settings.planes, (std::vector<std::string>{"ring:y", "ring:z"}));
    EXPECT_NE(complaint(std::string(kLeast) + "link=ring:a\nlink=ring:b\nlink=ring:c\nlink=ring:d\n")
                  .find("up to four times"),
              std::string::npos);
    EXPECT_NE(complaint(std::string(kLeast) + "link=ring:y\nencapsulation=udp\n").find("frames in UDP"),
              std::string::npos);
}

TEST_F(SettingsTest, refuses_what_does_not_fit_and_says_where) {
    EXPECT_NE(complaint(std::string(kLeast) + "progress=fast\n").find("node.conf:4"), std::string::npos);
    EXPECT_NE(complaint(std::string(kLeast) + "mtu=12\n").find("144 to 9216"), std::string::npos);
    EXPECT_NE(complaint(std::string(kLeast) + "trust-fcs=1\n").find("yes or no"), std::string::npos);
    EXPECT_NE(complaint(std::string(kLeast) + "silence=-1\n").find("seconds"), std::string::npos);
    EXPECT_NE(complaint(std::string(kLeast) + "silence=5\nmtu=1500\nsilence=7\n")
                  .find("node.conf:6:1: the option \"silence\": it is given twice: remove one"),
              std::string::npos);
    EXPECT_NE(complaint("fmconfig=fmconfig\nid=1\n").find("link=SPEC"), std::string::npos);
    EXPECT_NE(complaint("link=ring:x\nid=1\n").find("fmconfig=FILE"), std::string::npos);
    EXPECT_NE(complaint("fmconfig=fmconfig\nlink=ring:x\n").find("id=N"), std::string::npos);
    EXPECT_NE(
        complaint("fmconfig=fmconfig\nlink=ring:x\nid=3\n").find("node 3, tm@0, which is a token manager"),
        std::string::npos);
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

/// The environment of a process that somebody else has started.
class LauncherTest : public SettingsTest {
  protected:
    LauncherTest() {
        for (const char* name :
             {"ISOPLANE_CONFIG", "ISOPLANE_LINK", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMIX_RANK",
              "PMIX_NAMESPACE", "PMI_RANK", "PMI_SIZE", "PMI_JOBID", "SLURM_PROCID", "SLURM_NTASKS",
              "SLURM_JOB_ID", "SLURM_STEP_ID"})
            unset(name);
    }
    ~LauncherTest() override {
        for (const std::string& name : touched)
            ::unsetenv(name.c_str());
    }
    void set(const std::string& name, const std::string& value) {
        touched.push_back(name);
        ::setenv(name.c_str(), value.c_str(), 1);
    }
    void unset(const std::string& name) { ::unsetenv(name.c_str()); }

    std::vector<std::string> touched;
};

TEST_F(LauncherTest, takes_rank_and_size_from_open_mpi) {
    set("OMPI_COMM_WORLD_RANK", "2");
    set("OMPI_COMM_WORLD_SIZE", "5");
    set("PMIX_NAMESPACE", "prterun-host-17@1");
    set("ISOPLANE_LINK", "virtio:/tmp/ports/%r,queues=1");
    const Settings settings = settings_from_environment();
    EXPECT_EQ(settings.node(), 2);
    EXPECT_EQ(settings.hosts().size(), 5U);
    EXPECT_EQ(settings.hosts().back(), "node4");
    EXPECT_EQ(settings.link, "virtio:/tmp/ports/2,queues=1");
    EXPECT_NE(settings.network.conf.job_key.value_or(0), 0U);
}

TEST_F(LauncherTest, takes_them_from_mpich_and_from_slurm) {
    set("ISOPLANE_LINK", "afpacket:eth1");
    set("PMI_RANK", "0");
    set("PMI_SIZE", "2");
    EXPECT_EQ(settings_from_environment().hosts().size(), 2U);
    unset("PMI_RANK");
    set("SLURM_PROCID", "7");
    set("SLURM_NTASKS", "8");
    EXPECT_EQ(settings_from_environment().node(), 7);
}

TEST_F(LauncherTest, gives_jobs_different_keys_and_their_ranks_the_same) {
    set("ISOPLANE_LINK", "afpacket:eth1");
    set("SLURM_NTASKS", "2");
    set("SLURM_PROCID", "0");
    set("SLURM_JOB_ID", "11");
    set("SLURM_STEP_ID", "0");
    const auto key = settings_from_environment().network.conf.job_key;
    set("SLURM_PROCID", "1");
    EXPECT_EQ(settings_from_environment().network.conf.job_key, key);
    set("SLURM_STEP_ID", "1");
    EXPECT_NE(settings_from_environment().network.conf.job_key, key);
}

TEST_F(LauncherTest, lets_a_file_say_what_all_ranks_share) {
    set("PMI_RANK", "1");
    set("PMI_SIZE", "3");
    const Settings settings =
        load("fmconfig=fmconfig\nlink=virtio:/tmp/%r\nlink=virtio:/tmp/b%r\njob-key=9\n");
    EXPECT_EQ(settings.node(), 1);
    EXPECT_EQ(settings.hosts()[1], "bob");
    EXPECT_EQ(settings.link, "virtio:/tmp/1");
    EXPECT_EQ(settings.planes, std::vector<std::string>{"virtio:/tmp/b1"});
    EXPECT_EQ(settings.network.conf.job_key, 9U);
}

TEST_F(LauncherTest, a_file_may_say_which_of_those_counted_a_host_is) {
    set("OMPI_COMM_WORLD_RANK", "0");
    set("OMPI_COMM_WORLD_SIZE", "2");
    const Settings settings = load("link=ring:x\nname=node1\nhost.node0.mac=02:69:73:00:00:a1\n");
    EXPECT_EQ(settings.node(), 1);
    EXPECT_EQ(topology::to_string(settings.network.mac(0)), "02:69:73:00:00:a1");
    EXPECT_NE(complaint("link=ring:x\nid=5\n").find("the network has no node 5"), std::string::npos);
    EXPECT_NE(complaint("link=ring:x\nname=alice\n").find("no node called \"alice\""), std::string::npos);
}

TEST_F(LauncherTest, says_what_is_missing_or_cannot_be) {
    const auto complaint_of_environment = [] {
        try {
            settings_from_environment();
        } catch (const std::runtime_error& error) {
            return std::string(error.what());
        }
        return std::string("nothing");
    };
    set("PMI_RANK", "1");
    set("PMI_SIZE", "3");
    EXPECT_NE(complaint_of_environment().find("ISOPLANE_LINK"), std::string::npos);
    set("PMI_SIZE", "1");
    EXPECT_NE(complaint_of_environment().find("rank 1 of 1"), std::string::npos);
    set("PMI_SIZE", "many");
    EXPECT_NE(complaint_of_environment().find("PMI_SIZE=many"), std::string::npos);
}

}  // namespace
}  // namespace isoplane::job
