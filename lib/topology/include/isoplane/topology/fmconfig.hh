// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <string>
#include <string_view>

#include <isoplane/topology/topology.hh>

namespace isoplane::topology {

// fmconfig describes the switches of a network. One line for each switch: its number, then one word for each
// of its ports in order, which is
//
//     -         nothing
//     NUMBER    a link to the switch of that number, whose line mentions this one as often
//     NAME      a host; its node id is its turn among all hosts of the file, from 0
//     NAME:t    the token manager of this switch, at most one
//
// '#' starts a comment. Links may form cycles; of several links between two switches, the first mention on
// one line is the other end of the first mention on the other, and so on. A switch without ':t' has an
// implicit token manager.

/// Reads one. `file` stands in errors. Throws Error, with the place, for whatever is not such a network.
Topology parse_fmconfig(std::string_view text, std::string_view file = "fmconfig");

/// As parse_fmconfig, from a file.
Topology load_fmconfig(const std::string& path);

/// The text from which parse_fmconfig makes an equal topology. Throws Error when there is none, since the
/// hosts are not numbered in the order of the ports (possible after network.cfg, which numbers them itself).
std::string write_fmconfig(const Topology& topology);

}  // namespace isoplane::topology
