// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <cmath>
#include <isoplane/runtime/engine.hh>
#include <nlohmann/json.hpp>

namespace isoplane::runtime {

namespace {

/// Packets, and bytes where every edge knows them.
template <typename Edges>
nlohmann::json total(const Edges& edges) {
    std::uint64_t packets = 0;
    std::optional<std::uint64_t> bytes = 0;
    for (const auto* edge : edges) {
        packets += edge->packets().get();
        const auto more = edge->bytes();
        bytes = bytes && more ? std::optional(*bytes + *more) : std::nullopt;
    }
    nlohmann::json sum{{"packets", packets}};
    if (bytes) sum["bytes"] = *bytes;
    return sum;
}

/// One decimal is what a sample can tell.
double rounded(double value) {
    return std::round(value * 10) / 10;
}

double ratio(const Counter& part, const Counter& whole) {
    return whole.get() == 0 ? 0.0 : static_cast<double>(part.get()) / static_cast<double>(whole.get());
}

}  // namespace

nlohmann::json Engine::describe() {
    nlohmann::json all = nlohmann::json::array();
    for (std::size_t i = 0; i < stages_.size(); ++i) {
        Stage& stage = *stages_[i];
        const Stage::Load& load = stage.load();
        nlohmann::json one{{"name", stage.name()},
                           {"worker", places_[i]->id()},
                           {"in", total(stage.inputs())},
                           {"out", total(stage.outputs())},
                           {"polls", load.polls.get()},
                           {"empty_polls", load.empty_polls.get()},
                           {"cycles_per_packet", rounded(ratio(load.busy_cycles, load.sampled_packets))},
                           {"busy_percent", rounded(100 * ratio(load.busy_cycles, load.sampled_cycles))}};
        nlohmann::json own = nlohmann::json::object();
        call(stage, [&] {
            one["held"] = stage.held();
            stage.describe(own);
        });
        if (!own.empty()) one["figures"] = std::move(own);
        all.push_back(std::move(one));
    }
    return all;
}

void Engine::clear_counters() {
    for (const auto& stage : stages_) {
        call(*stage, [&] {
            for (Input* input : stage->inputs())
                input->clear_counters();
            for (Output* output : stage->outputs())
                output->clear_counters();
            Stage::Load& load = stage->load();
            for (Counter* c : {&load.polls, &load.empty_polls, &load.sampled_cycles, &load.busy_cycles,
                               &load.sampled_packets}) {
                c->set(0);
            }
            stage->clear_counters();
        });
    }
}

}  // namespace isoplane::runtime
