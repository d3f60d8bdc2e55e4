// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstdint>
#include <string>

#include "replay/subject.hh"

namespace isoplane::replay {

struct IntoTask {
    std::string file;
    std::string filter;
    std::uint64_t limit = UINT64_MAX;
    bool json = false;
    unsigned mtu = 1500;
    SubjectOptions subject;
};

/// Feeds the frames of a capture that a node has received into a stage of that node, each at its time of a
/// virtual clock, and prints what the stage does with it; at the end, all that it has counted.
/// Acknowledgements lose what they say, as the stage has sent none of what they are for. Returns the exit
/// code; throws with a sentence.
int feed_into(const IntoTask& task);

}  // namespace isoplane::replay
