// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <isoplane/fabric/switch.hh>
#include <isoplane/sim/link.hh>
#include <ostream>

namespace isoplane::test {

/// What has happened over all seeds of a test: whether the faults that it is about have occurred at all.
struct Summary {
    std::uint64_t seeds = 0;
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    std::uint64_t largest = 0;  ///< message
    std::uint64_t frames = 0;
    std::uint64_t lost = 0;
    std::uint64_t duplicated = 0;
    std::uint64_t reordered = 0;
    std::uint64_t corrupted = 0;
    std::uint64_t late = 0;  ///< copies that came again
    std::uint64_t resent = 0;
    std::uint64_t cuts = 0;      ///< times that somebody could not reach somebody
    std::uint64_t cut_down = 0;  ///< frames that met a cut
    std::uint64_t spikes = 0;    ///< times that a way took far longer than it does
    std::uint64_t given_up = 0;  ///< peers
    std::uint64_t parted = 0;    ///< seeds in which hosts that lived were given up
    std::uint64_t calm = 0;      ///< seeds without faults
    std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();

    void add(const fabric::EgressCounters& egress) {
        lost += egress.lost.get();
        duplicated += egress.duplicated.get();
        reordered += egress.reordered.get();
        corrupted += egress.corrupted.get();
        late += egress.late.get();
        cut_down += egress.cut.get();
    }
    void add(const fabric::Switch& fabric) {
        for (unsigned port = 0; port < fabric.ports(); ++port) {
            add(fabric.egress(port));
            cut_down += fabric.ingress(port).cut.get();
        }
    }
    void add(sim::Link& link) {
        add(link.a_to_b().counters());
        add(link.b_to_a().counters());
    }
};

inline std::ostream& operator<<(std::ostream& out, const Summary& s) {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - s.started;
    out << s.seeds << " seeds: ";
    if (s.messages != 0) {
        out << s.messages << " messages of up to " << s.largest << " bytes, " << s.bytes / 1'000'000
            << " MB; ";
    }
    out << s.frames << " frames, " << s.lost << " lost, " << s.duplicated << " duplicated, " << s.reordered
        << " reordered, " << s.corrupted << " corrupted, " << s.late << " late, " << s.cut_down
        << " cut off; ";
    if (s.cuts != 0) out << s.cuts << " cuts; ";
    if (s.spikes != 0) out << s.spikes << " spikes; ";
    if (s.resent != 0) out << s.resent << " resent; ";
    if (s.parted != 0) out << s.given_up << " peers given up, in " << s.parted << " seeds alive; ";
    if (s.calm != 0) out << s.calm << " seeds without faults; ";
    return out << took.count() << " s\n";
}

}  // namespace isoplane::test
