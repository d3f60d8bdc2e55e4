// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/runtime/backlog.hh>
#include <isoplane/runtime/pool.hh>
#include <isoplane/runtime/stage.hh>

namespace isoplane::traffic {

/// Moves packets from one edge to another as they are: one direction of `forward`, and the stages that carry
/// a link's packets to and from a worker of their own.
class Forward final : public runtime::Stage {
  public:
    Forward(std::string name, runtime::Input& from, runtime::Output& to)
        : Stage(std::move(name)), from_(takes_from(from)), to_(gives_to(to)) {}

    unsigned poll(runtime::Time now) override;
    std::size_t held() const override { return to_.size(); }
    std::size_t discard() override { return to_.discard(); }

    /// Lets it begin with `bursts` full bursts of zeroed packets of its own, as soon as the output takes
    /// them: for links that only return what they are given. Before it runs.
    void prime(runtime::Pool& pool, unsigned bursts, std::uint16_t size);

  private:
    void send_own();

    runtime::Input& from_;
    runtime::Backlog to_;
    unsigned own_bursts_ = 0;  ///< still to be made
    std::uint16_t own_size_ = 0;
    runtime::Pool* own_pool_ = nullptr;
};

}  // namespace isoplane::traffic
