// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "command.hh"
#include "demo/demo.hh"
#include "diagram/diagram.hh"
#include "doctor/doctor.hh"
#include "node/node_command.hh"
#include "perf/perf.hh"
#include "replay/replay.hh"
#include "run/run.hh"
#include "sim/sim_command.hh"

namespace {

constexpr isoplane::app::Command kCommands[] = {
    {"node", "launch a node: stages on lcores between links, with a prompt", isoplane::node::run},
    {"run", "start a program several times over, joined by a fabric", isoplane::run::run},
    {"demo", "run a whole network in this process and verify it", isoplane::demo::run},
    {"perf", "measure: latency, message rate and bandwidth, beside raw frames and kernel sockets",
     isoplane::perf::run},
    {"replay", "play a capture to a link, decode it, or check it", isoplane::replay::run},
    {"sim", "simulate networks in logical time under faults, and check every event", isoplane::sim::run},
    {"diagram", "draw what a capture shows in logical time", isoplane::diagram::run},
    {"doctor", "check this machine; say what would not run and the command that mends it",
     isoplane::doctor::run},
};

}  // namespace

int main(int argc, char** argv) {
    const int code = isoplane::app::dispatch(kCommands, argc, argv);
    // What could not be written was not said: a full disk under a redirected report is no success.
    std::cout.flush();
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good()) return code;
    // Why may have been forgotten: something else may have failed since. So it is tried again.
    errno = EIO;
    std::fputc('\n', stdout);
    std::fflush(stdout);
    std::fprintf(stderr,
                 "isoplane: the output could not be written: %s. Make room for it or send it elsewhere.\n",
                 std::strerror(errno));
    return code == isoplane::app::kSuccess ? isoplane::app::kRunFailed : code;
}
