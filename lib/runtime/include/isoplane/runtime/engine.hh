// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include <isoplane/runtime/lcore.hh>
#include <isoplane/runtime/placement.hh>
#include <isoplane/runtime/ring.hh>
#include <isoplane/runtime/stage.hh>

namespace isoplane::runtime {

/// The stages of a process, the rings between them, and the worker lcores they run on.
///
/// Assemble it (add, add_ring), place() it once, then start() and stop() it as often as wanted. Links belong
/// to who opened them and must outlive the engine.
class Engine {
  public:
    Engine(unsigned workers, IdlePolicy idle);
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    /// Takes a stage in. Its name must be new.
    Stage& add(std::unique_ptr<Stage> stage);
    template <typename S>
    S& add(std::unique_ptr<S> stage) {
        S& it = *stage;
        add(std::unique_ptr<Stage>(std::move(stage)));
        return it;
    }
    Ring& add_ring(const std::string& name, unsigned size = Ring::kDefaultSize);

    /// Puts every stage on a worker. Throws std::invalid_argument with a sentence when a wish cannot be met.
    void place(const Placement& placement);

    void start();

    /// Comes to rest: stages make nothing new, links are read no more, and what is inside goes out; then the
    /// lcores stop. Whatever could not leave within `patience` (a full link whose peer is dead) is freed.
    /// Returns how many packets that were: 0 after a clean stop.
    std::size_t stop(Duration patience);

    bool running() const noexcept { return running_; }
    const std::vector<std::unique_ptr<Stage>>& stages() const noexcept { return stages_; }

    /// The stage of that name, or nullptr.
    Stage* find(std::string_view name) const;

    /// Runs `what` on the lcore of `stage` between two of its polls, and waits for it.
    void call(const Stage& stage, const std::function<void()>& what);

    /// One object a stage: where it runs, its counts, cycles a packet, utilisation, and its own figures.
    nlohmann::json describe();
    void clear_counters();

  private:
    Lcore& lcore_of(const Stage& stage) const;
    void set_resting(bool resting);
    bool at_rest();
    bool is_ring(const Input* input) const;

    std::vector<std::unique_ptr<Ring>> rings_;
    std::vector<std::unique_ptr<Stage>> stages_;
    std::vector<std::unique_ptr<Lcore>> lcores_;
    std::vector<Lcore*> places_;  ///< of each stage, in order
    bool running_ = false;
};

}  // namespace isoplane::runtime
