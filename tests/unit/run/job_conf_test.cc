// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <gtest/gtest.h>

#include <functional>
#include <isoplane/auth/crypto.hh>
#include <isoplane/auth/opener.hh>
#include <isoplane/job/program_keys.hh>
#include <isoplane/topology/fmconfig.hh>
#include <isoplane/topology/node_options.hh>
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

std::string sentence_of(const std::function<void()>& work) {
    try {
        work();
    } catch (const std::exception& error) {
        return error.what();
    }
    return {};
}

TEST(Setting, is_said_once) {
    JobConf job;
    add_setting(job, {"silence", "5"});
    add_setting(job, {"packets", "4095"});
    EXPECT_EQ(sentence_of([&] {
                  add_setting(job, {"silence", "7"});
              }),
              "--set silence=7: silence is said already, and stands in a node.conf once: leave out one.");
    EXPECT_EQ(job.settings.size(), 2U);
}

TEST(Setting, of_a_node_alone_is_for_no_job) {
    for (const char* key : {"duration", "exec", "place", "stats-period"})
        EXPECT_EQ(sentence_of([&] { parse_setting(std::string(key) + "=1"); }),
                  "--set " + std::string(key) +
                      " is for isoplane node, and programs would pass it over: leave it out.");
}

TEST(BaseOfJob, says_nothing_that_would_be_passed_over) {
    const auto refusal = [](const std::string& text) {
        return sentence_of([&] {
            check_base(topology::parse_node_conf(text, "job.conf", job::program_keys()), plain_topology(2));
        });
    };
    EXPECT_EQ(
        refusal("job-key=7\nduration=1\n"),
        "job.conf:2:1: the option \"duration\": it is for isoplane node, and programs would pass it over: "
        "remove it");
    EXPECT_EQ(refusal("silence=5\n"),
              "job.conf:1:1: the option \"silence\": the command line says it of a job: give it as --set "
              "silence=5");
    EXPECT_EQ(refusal("mtu=9000\n"),
              "job.conf:1:1: the option \"mtu\": the command line says it of a job: give it as --mtu 9000");
    for (const char* role : {"tm", "host,tm"})
        EXPECT_EQ(refusal("job-key=7\nrole=" + std::string(role) + "\n"),
                  "job.conf:2:1: the option \"role\": the ranks of a job are hosts, and would pass it over: "
                  "remove it");
    EXPECT_EQ(refusal("job-key=7\nrole=host\n"), "");
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

TEST(KeyOfJob, takes_memory_of_each_token_manager_for_all_nodes) {
    JobConf job;
    job.topology = topology::parse_fmconfig("0 alice 1\n1 bob 0\n");
    EXPECT_EQ(key_memory_mb(job), 0U);
    job.key = "what the file holds";
    EXPECT_EQ(key_memory_mb(job), 2 * auth::Crypto::memory_mb(auth::Opener::keys(4)));
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
