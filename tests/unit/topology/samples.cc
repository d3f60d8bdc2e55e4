// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// Every sample in config/ is read, written and read again, and every node.conf leads to a whole network.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include <isoplane/topology/fmconfig.hh>
#include <isoplane/topology/network.hh>
#include <isoplane/topology/node_options.hh>

namespace isoplane::topology {

namespace {

namespace fs = std::filesystem;

void check_sample(const fs::path& path) {
    const std::string name = path.filename().string();
    if (name == "fmconfig") {
        const Topology topology = load_fmconfig(path);
        EXPECT_EQ(parse_fmconfig(write_fmconfig(topology)), topology);
    } else if (name == "network.cfg") {
        const NetworkCfg cfg = load_network_cfg(path);
        EXPECT_EQ(parse_network_cfg(write_network_cfg(cfg)), cfg);
    } else if (name == "shmem_map") {
        const Topology topology = load_fmconfig(path.parent_path() / "fmconfig");
        const ShmemMap map = load_shmem_map(path, {.topology = &topology});
        EXPECT_EQ(parse_shmem_map(write_shmem_map(map)), map);
    } else if (path.extension() == ".conf") {
        const NodeConf conf = load_node_conf(path);
        EXPECT_EQ(parse_node_conf(write_node_conf(conf), path), conf);
        EXPECT_TRUE(load_network(conf).topology);
    }
}

}  // namespace

TEST(Samples, are_all_read) {
    std::map<std::string, int> seen;
    for (const auto& entry : fs::recursive_directory_iterator(CONFIG_DIRECTORY)) {
        if (!entry.is_regular_file()) continue;
        SCOPED_TRACE(entry.path().string());
        ASSERT_NO_THROW(check_sample(entry.path()));
        ++seen[entry.path().filename().string()];
    }
    for (const char* kind : {"fmconfig", "network.cfg", "shmem_map", "node.conf"})
        EXPECT_GT(seen[kind], 0) << kind;
}

TEST(Samples, of_node_conf_show_every_option) {
    std::ifstream in(fs::path(CONFIG_DIRECTORY) / "node.conf");
    const std::string text(std::istreambuf_iterator<char>(in), {});
    const auto options = node_options();
    for (const auto& option : options.options()) {
        std::string key = option->long_name();
        key = key.ends_with(".*") ? "[" + key.substr(0, key.size() - 2) : key + "=";
        EXPECT_NE(text.find(key), std::string::npos) << key;
    }
}

}  // namespace isoplane::topology
