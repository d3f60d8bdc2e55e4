// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <boost/program_options/options_description.hpp>

namespace isoplane::job {

/// What the node.conf of a program may say beyond topology::node_options(): see load_settings() in
/// settings.hh.
boost::program_options::options_description program_keys();

}  // namespace isoplane::job
