// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

// A node.conf beside other options: for programs that have a command line, or keys of their own.

#include <string>
#include <string_view>

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/parsers.hpp>

#include <isoplane/topology/node_conf.hh>

namespace isoplane::topology {

/// The options that node.conf and the command line share: "id=3" in the file is "--id 3" on the command line,
/// and so on. `host.*` and `mac.*` stand for host.NAME.mac, host.NAME.ip and so on, and mac.NAME, which is
/// short for host.NAME.mac. All take strings (link: several), which read_options checks.
boost::program_options::options_description node_options();

/// Whether only `isoplane node` heeds that option, and programs would pass it over.
bool is_of_node_command(std::string_view key);

/// For who is no `isoplane node`: throws Error where `conf` has an option of that command.
void refuse_options_of_node_command(const NodeConf& conf);

/// As parse_node_conf without `more`, whose options are known too and come to stand in NodeConf::more.
NodeConf parse_node_conf(std::string_view text, const std::string& file,
                         const boost::program_options::options_description& more);

/// As parse_node_conf, from a file.
NodeConf load_node_conf(const std::string& path, const boost::program_options::options_description& more);

/// Puts the options of a command line, parsed with node_options() among others, over what `conf` says.
/// Options that are not of node_options() are left alone. Relative paths count from the working directory.
/// Throws Error as parse_node_conf does, with "command line" as the file.
void read_options(NodeConf& conf, const boost::program_options::parsed_options& command_line);

}  // namespace isoplane::topology
