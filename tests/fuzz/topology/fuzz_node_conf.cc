// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/topology/node_conf.hh>

#include "round_trip.hh"

using namespace isoplane::topology;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::round_trip(
        data, size, [](const std::string& text) { return parse_node_conf(text); }, write_node_conf);
    return 0;
}
