// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <stdexcept>

#include "run/job_conf.hh"

namespace isoplane::run {
namespace {

TEST(Setting, is_a_key_and_a_value) {
    EXPECT_EQ(parse_setting("silence=1.5"), (std::pair<std::string, std::string>("silence", "1.5")));
    EXPECT_EQ(parse_setting("anything=a=b"), (std::pair<std::string, std::string>("anything", "a=b")));
}

TEST(Setting, must_have_both) {
    for (const char* word : {"silence", "=1", "silence=", "="})
        EXPECT_THROW(parse_setting(word), std::invalid_argument) << word;
}

TEST(Setting, does_not_say_what_is_said_elsewhere) {
    for (const char* word : {"id=1", "link=ring:a", "job-key=1", "host.a.mac=02:00:00:00:00:01",
                             "tokens-ahead=2", "mtu=9000", "progress=lcore"})
        EXPECT_THROW(parse_setting(word), std::invalid_argument) << word;
}

TEST(NodeConfText, ends_with_the_settings) {
    JobConf job;
    job.progress = "inline";
    job.mtu = 1500;
    job.settings = {{"silence", "2"}, {"packets", "4095"}};
    const std::string text = node_conf_text(job, 0, {"ring:a"}, "");
    EXPECT_NE(text.find("silence=2\npackets=4095\n"), std::string::npos) << text;
}

TEST(ManagerConfText, says_what_hosts_are_told_alike_and_nothing_of_their_own) {
    JobConf job;
    job.progress = "inline";
    job.base = topology::parse_node_conf(
        "job-key=7\ntokens-ahead=4\nsurvive=2\nduration=9\nexec=start\nmac.node0=02:00:00:00:00:01\n"
        "host.node0.ssh=there\nencapsulation=udp\nudp-port=4000\nhost.node0.ip=10.1.0.7\n");
    EXPECT_EQ(
        manager_conf_text(job, "/dir/"),
        "job-key=7\ntokens-ahead=4\nsurvive=2\nencapsulation=udp\nudp-port=4000\nfmconfig=/dir/fmconfig\n"
        "host.node0.mac=02:00:00:00:00:01\nhost.node0.ip=10.1.0.7\n");
    EXPECT_NE(node_conf_text(job, 0, {"ring:a"}, "").find("tokens-ahead=4\n"), std::string::npos);
}

TEST(KeyOfJob, is_named_to_all_where_there_is_one) {
    JobConf job;
    job.progress = "inline";
    job.mtu = 1500;
    EXPECT_EQ(manager_conf_text(job, "/dir/").find("key="), std::string::npos);
    job.key = "what the file holds";
    job.base.key = "/where/the/user/has/it";
    EXPECT_NE(manager_conf_text(job, "/dir/").find("key=/dir/key\n"), std::string::npos);
    EXPECT_NE(node_conf_text(job, 0, {"ring:a"}, "/dir/").find("key=/dir/key\n"), std::string::npos);
    EXPECT_NE(node_conf_text(job, 0, {"ring:a"}, "").find("key=key\n"), std::string::npos);
}

}  // namespace
}  // namespace isoplane::run
