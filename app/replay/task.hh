// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <boost/program_options.hpp>
#include <cstdint>
#include <string>

#include "replay/rewrite.hh"
#include "replay/speed.hh"
#include "replay/subject.hh"

namespace isoplane::replay {

enum class Mode : std::uint8_t { kPlay, kDecode, kCheck, kInto };

/// What the command has been asked to do with a trace.
struct Task {
    Mode mode = Mode::kPlay;
    std::string file;
    std::string filter;
    std::string to;
    Speed speed;
    std::uint64_t loops = 1;  ///< 0: until it is stopped
    std::uint64_t limit = UINT64_MAX;
    unsigned mtu = 1500;
    unsigned wait = 10;
    bool json = false;
    Rewrite rewrite;
    SubjectOptions subject;
};

boost::program_options::options_description options();

/// Throws std::invalid_argument with a sentence, also where an option would do nothing with the others.
Task read_task(const boost::program_options::variables_map& values);

}  // namespace isoplane::replay
