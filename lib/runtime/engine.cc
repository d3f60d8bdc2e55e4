// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include <algorithm>
#include <isoplane/runtime/engine.hh>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

namespace isoplane::runtime {

Engine::Engine(unsigned workers, IdlePolicy idle) {
    for (unsigned id = 1; id <= workers; ++id)
        lcores_.push_back(std::make_unique<Lcore>(id, idle));
}

Engine::~Engine() {
    lcores_.clear();
    for (const auto& stage : stages_)
        stage->discard();
}

Stage& Engine::add(std::unique_ptr<Stage> stage) {
    if (find(stage->name()) != nullptr) throw std::logic_error("two stages named '" + stage->name() + "'");
    stages_.push_back(std::move(stage));
    return *stages_.back();
}

Ring& Engine::add_ring(const std::string& name, unsigned size) {
    return *rings_.emplace_back(std::make_unique<Ring>(name, size));
}

void Engine::place(const Placement& placement) {
    std::vector<std::string> names;
    for (const auto& stage : stages_)
        names.push_back(stage->name());
    const auto workers = placement.assign(names, static_cast<unsigned>(lcores_.size()));
    for (std::size_t i = 0; i < stages_.size(); ++i) {
        places_.push_back(lcores_.at(workers[i] - 1).get());
        places_.back()->pipeline().add(*stages_[i]);
    }
}

void Engine::start() {
    if (running_) return;
    set_resting(false);
    for (const auto& lcore : lcores_) {
        if (!lcore->pipeline().stages().empty()) lcore->start();
    }
    running_ = true;
}

std::size_t Engine::stop(Duration patience) {
    if (!running_) return 0;
    set_resting(true);
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (!at_rest() && std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    for (const auto& lcore : lcores_)
        lcore->stop();
    running_ = false;

    std::size_t freed = 0;
    // Others may still ask the stages how they stand, and are answered on their own threads from here on.
    for (const auto& stage : stages_)
        call(*stage, [&] { freed += stage->discard(); });
    for (const auto& ring : rings_)
        freed += ring->drain();
    return freed;
}

Stage* Engine::find(std::string_view name) const {
    const auto it =
        std::find_if(stages_.begin(), stages_.end(), [&](const auto& s) { return s->name() == name; });
    return it == stages_.end() ? nullptr : it->get();
}

Lcore& Engine::lcore_of(const Stage& stage) const {
    for (std::size_t i = 0; i < places_.size(); ++i) {
        if (stages_[i].get() == &stage) return *places_[i];
    }
    throw std::logic_error("stage '" + stage.name() + "' has not been placed");
}

void Engine::call(const Stage& stage, const std::function<void()>& what) {
    lcore_of(stage).call(what);
}

bool Engine::is_ring(const Input* input) const {
    return std::any_of(rings_.begin(), rings_.end(), [&](const auto& r) { return &r->input() == input; });
}

void Engine::set_resting(bool resting) {
    for (const auto& stage : stages_) {
        call(*stage, [&] {
            stage->set_quiet(resting);
            for (Input* input : stage->inputs()) {
                if (!is_ring(input)) input->set_closed(resting);
            }
        });
    }
}

/// Nothing is held, nothing waits in a ring, and nothing moved while we looked: then, with every source
/// closed, nothing can move any more.
bool Engine::at_rest() {
    const auto moves = [&] {
        std::uint64_t sum = 0;
        for (const auto& s : stages_)
            sum += s->load().polls.get() - s->load().empty_polls.get();
        return sum;
    };
    const std::uint64_t before = moves();
    std::size_t inside = 0;
    for (const auto& stage : stages_)
        call(*stage, [&] { inside += stage->held(); });
    for (const auto& ring : rings_)
        inside += ring->count();
    return inside == 0 && moves() == before;
}

}  // namespace isoplane::runtime
