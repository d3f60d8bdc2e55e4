// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// What it tells of itself.
#include <isoplane/nal/over_niu.hh>
#include <nlohmann/json.hpp>

namespace isoplane::nal {

using namespace portals;

namespace {

/// An interface, and what is in its tables.
nlohmann::json describe_interface(const Interface& interface) {
    const auto value = [&interface](Register which) {
        std::uint64_t found = 0;
        interface.read(which, found);
        return found;
    };
    nlohmann::json out{{"pid", interface.id().pid},
                       {"entries", value(Register::kEntries)},
                       {"descriptors", value(Register::kDescriptors)},
                       {"queues", value(Register::kQueues)},
                       {"sent", value(Register::kSendCount)},
                       {"sent_bytes", value(Register::kSendLength)},
                       {"received", value(Register::kRecvCount)},
                       {"received_bytes", value(Register::kRecvLength)},
                       {"dropped", value(Register::kDropCount)},
                       {"dropped_bytes", value(Register::kDropLength)}};
    for (std::size_t reason = 0; reason < kDropReasons; ++reason) {
        const auto why = static_cast<Drop>(reason);
        out[std::string("dropped_") + name_of(why)] = interface.dropped(why);
    }
    return out;
}

}  // namespace

/// Whom it leads to, and what it has carried.
nlohmann::json OverNiu::describe_plane(std::size_t plane) const {
    const niu::Niu& niu = *planes_[plane].niu;
    unsigned open = 0;
    unsigned dead = 0;
    for (const Peer& peer : peers_) {
        open += peer.lanes[plane].open ? 1 : 0;
        dead += niu.state(id_of(peer)) == niu::PeerState::kDead ? 1 : 0;
    }
    return {{"plane", plane},
            {"nodes", open},
            {"dead", dead},
            {"frames_sent", niu.counters().frames_sent.get()},
            {"frames_received", niu.counters().frames_received.get()},
            {"slice_bytes_sent", plane_counters_[plane].sent.get()},
            {"slice_bytes_received", plane_counters_[plane].received.get()}};
}

void OverNiu::describe(nlohmann::json& out) const {
    out = {{"begun", counters_.begun.get()},
           {"arrived", counters_.arrived.get()},
           {"pulls", counters_.pulls.get()},
           {"cut_short", counters_.cut_short.get()},
           {"failed", counters_.failed.get()},
           {"nobody", counters_.nobody.get()},
           {"repeated", counters_.repeated.get()},
           {"malformed", counters_.malformed.get()},
           {"withheld", counters_.withheld.get()},
           {"copied_out_bytes", counters_.copied_out.get()},
           {"referred_bytes", counters_.referred.get()},
           {"copied_in_bytes", counters_.copied_in.get()},
           {"read_bytes", counters_.read.get()},
           {"unreadable", counters_.unreadable.get()},
           {"sources", sources_.live()},
           {"sinks", sinks_.live()},
           {"planes", nlohmann::json::array()},
           {"interfaces", nlohmann::json::array()}};
    for (std::size_t plane = 0; plane < planes_.size(); ++plane)
        out["planes"].push_back(describe_plane(plane));
    for (const Interface* interface : interfaces_)
        out["interfaces"].push_back(describe_interface(*interface));
}

void OverNiu::clear_counters() {
    for (runtime::Counter* counter :
         {&counters_.begun, &counters_.arrived, &counters_.pulls, &counters_.cut_short, &counters_.failed,
          &counters_.nobody, &counters_.repeated, &counters_.malformed, &counters_.withheld,
          &counters_.copied_out, &counters_.referred, &counters_.copied_in, &counters_.read,
          &counters_.unreadable})
        counter->set(0);
    for (PlaneCounters& plane : plane_counters_) {
        plane.sent.set(0);
        plane.received.set(0);
    }
}

}  // namespace isoplane::nal
