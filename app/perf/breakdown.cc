// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "breakdown.hh"

#include <numeric>

#include "bench.hh"
#include "ends.hh"

namespace isoplane::perf {

double Costs::total() const noexcept {
    return std::accumulate(cycles.begin(), cycles.end(), 0.0);
}

std::vector<Costs> break_down(Workers& workers, Sides& sides, const FrameForm& frames) {
    std::vector<Costs> all;
    add_costs(all, transport::kRaw, workers, sides, kBreakdownSize, [&](unsigned end, TimedEdges& edges) {
        return make_raw<Content::kCopied>(sides, end, edges.input, edges.output);
    });
    for (const bool coalesce : {false, true}) {
        add_costs(all, coalesce ? transport::kNiuCoalesced : transport::kNiu, workers, sides, kBreakdownSize,
                  [&](unsigned end, TimedEdges& edges) {
                      return make_niu(sides, end, edges.input, edges.output,
                                      {.frames = frames, .coalesce = coalesce});
                  });
    }
    return all;
}

}  // namespace isoplane::perf
