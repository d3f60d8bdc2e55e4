// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/fabric/switch.hh>
#include <nlohmann/json.hpp>

namespace isoplane::fabric {

namespace {

nlohmann::json counters_of(const IngressCounters& in, const EgressCounters& out) {
    return {
        {"in", in.in.get()},
        {"flooded", in.flooded.get()},
        {"filtered", in.filtered.get()},
        {"runt", in.runt.get()},
        {"cut_in", in.cut.get()},
        {"offered", out.offered.get()},
        {"out", out.out.get()},
        {"lost", out.lost.get()},
        {"duplicated", out.duplicated.get()},
        {"reordered", out.reordered.get()},
        {"corrupted", out.corrupted.get()},
        {"late", out.late.get()},
        {"delayed", out.delayed.get()},
        {"queue_full", out.queue_full.get()},
        {"cut_out", out.cut.get()},
        {"no_memory", out.no_memory.get()},
    };
}

}  // namespace

void Switch::describe(nlohmann::json& out) const {
    out["mac_table"] = {{"size", stations_.size(now_)}, {"capacity", stations_.capacity()}};
    auto& ports = out["ports"] = nlohmann::json::array();
    for (const auto& port : ports_) {
        ports.push_back({{"port", port->number},
                         {"input", port->input.name()},
                         {"output", port->output.name()},
                         {"group", port->group},
                         {"held", port->egress.held()},
                         {"to_come_late", port->egress.to_come_late()},
                         {"impairment", port->egress.settings()},
                         {"counters", counters_of(port->counters, port->egress.counters())}});
    }
}

}  // namespace isoplane::fabric
