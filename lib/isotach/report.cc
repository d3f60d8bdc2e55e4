// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <isoplane/isotach/isotach.hh>
#include <nlohmann/json.hpp>

namespace isoplane::isotach {

void Isotach::describe(nlohmann::json& out) const {
    out["clock"] = siu_.clock();
    out["executed_pulse"] = ordering_.executed();
    out["outstanding"] = outstanding();
    out["waiting"] = ordering_.waiting();
    out["hit_queue"] = ordering_.hit_queue();
    out["behind"] = ordering_.behind();
    out["deliverable"] = deliveries_.size();
    out["payloads_expected"] = payloads_.expected();
    out["isochrons"] = counters_.isochrons.get() + last_.further;
    out["messages_sent"] = counters_.messages_sent() + last_.further;
    out["executed"] = counters_.executed.get();
    out["pulses"] = counters_.pulses.get();
    out["held_back"] = counters_.held_back.get();
    out["payloads_sent"] = payloads_.sent();
    out["payloads_received"] = payloads_.received();
    out["copied_bytes"] = counters_.copied_bytes.get() + payloads_.copied_bytes();
    out["late"] = ordering_.late();
    out["out_of_sequence"] = counters_.out_of_sequence.get();
    out["malformed"] = counters_.malformed.get() + payloads_.malformed();
    if (!paranoid_) return;
    out["paranoid"] = {{"violations", paranoid_->violations()}, {"first", paranoid_->first()}};
}

void Isotach::clear_counters() {
    note_further();
    for (runtime::Counter* c :
         {&counters_.isochrons, &counters_.further_parts, &counters_.executed, &counters_.pulses,
          &counters_.held_back, &counters_.copied_bytes, &counters_.out_of_sequence, &counters_.malformed})
        c->set(0);
    payloads_.clear_counters();
    ordering_.clear_counters();
}

void Isotach::describe_buckets(nlohmann::json& out) const {
    out = nlohmann::json::array();
    for (const Bucket& bucket : ordering_.buckets())
        out.push_back({{"pulse", bucket.pulse},
                       {"host", niu_.options().nodes[bucket.host]},
                       {"waiting", bucket.waiting},
                       {"missing", bucket.missing}});
}

}  // namespace isoplane::isotach
