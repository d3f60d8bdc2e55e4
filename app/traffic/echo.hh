// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/runtime/backlog.hh>
#include <isoplane/runtime/stage.hh>

namespace isoplane::traffic {

/// Sends every frame back to where it came from, Ethernet addresses exchanged and otherwise untouched.
class Echo final : public runtime::Stage {
  public:
    Echo(std::string name, runtime::Input& from, runtime::Output& to)
        : Stage(std::move(name)), from_(takes_from(from)), to_(gives_to(to)) {}

    unsigned poll(runtime::Time now) override;
    std::size_t held() const override { return to_.size(); }
    std::size_t discard() override { return to_.discard(); }

  private:
    runtime::Input& from_;
    runtime::Backlog to_;
};

}  // namespace isoplane::traffic
