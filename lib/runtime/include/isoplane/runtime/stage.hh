// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include <isoplane/runtime/counter.hh>
#include <isoplane/runtime/edge.hh>
#include <isoplane/runtime/time.hh>

namespace isoplane::runtime {

/// Everything that runs on an lcore: takes a burst from its inputs, works, puts a burst on its outputs.
///
/// A stage never blocks, sleeps, allocates, locks, reads a clock or touches a global once it runs. So the
/// same object runs on an lcore, inside an API call of an application, and under the virtual clock of the
/// simulator. Nothing in it may be touched from another thread but its counters; who needs more asks the
/// lcore through its mailbox.
class Stage {
  public:
    explicit Stage(std::string name) : name_(std::move(name)) {}
    virtual ~Stage() = default;
    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;

    /// Handles at most about a burst from each input. Returns how many packets it moved; 0 lets the lcore
    /// idle.
    virtual unsigned poll(Time now) = 0;

    /// Stops (true) or resumes (false) making packets of its own accord; what it holds still goes out.
    virtual void set_quiet(bool /*quiet*/) {}

    /// Packets inside the stage that a drain still has to wait for.
    virtual std::size_t held() const { return 0; }

    /// Frees what is inside, when waiting for it has been given up. Returns how many packets that were.
    virtual std::size_t discard() { return 0; }

    /// Adds the stage's own figures to `out`, an object. Runs on the stage's lcore.
    virtual void describe(nlohmann::json& /*out*/) const {}

    /// Sets the stage's own figures back to zero. Runs on the stage's lcore.
    virtual void clear_counters() {}

    const std::string& name() const noexcept { return name_; }
    const std::vector<Input*>& inputs() const noexcept { return inputs_; }
    const std::vector<Output*>& outputs() const noexcept { return outputs_; }

    /// What the loop that polls the stage counts about it. Cycles are measured on a sample of the polls.
    struct Load {
        Counter polls;
        Counter empty_polls;
        Counter sampled_cycles;  ///< all sampled polls
        Counter busy_cycles;     ///< those of them that moved packets
        Counter sampled_packets;
    };
    Load& load() noexcept { return load_; }
    const Load& load() const noexcept { return load_; }

  protected:
    /// The constructor of a stage names its edges, so that `show stage` can count them. Not owned.
    Input& takes_from(Input& input) {
        inputs_.push_back(&input);
        return input;
    }
    Output& gives_to(Output& output) {
        outputs_.push_back(&output);
        return output;
    }

  private:
    std::string name_;
    std::vector<Input*> inputs_;
    std::vector<Output*> outputs_;
    Load load_;
};

}  // namespace isoplane::runtime
