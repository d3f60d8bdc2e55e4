// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <deque>
#include <isoplane/runtime/pool.hh>
#include <isoplane/runtime/stage.hh>
#include <isoplane/topology/topology.hh>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "replay/survey.hh"

namespace isoplane::replay {

/// Which stage of a node is looked at.
enum class Layer : std::uint8_t {
    kNiu,  ///< frames and messages
    kSiu,  ///< those of a host, and logical time with them
    kTm,   ///< a token manager
};

struct SubjectOptions {
    Layer layer = Layer::kNiu;
    std::uint16_t node = 0;
    std::optional<topology::Topology> network{};  ///< nothing for one switch with all hosts that are seen
    std::uint32_t ahead = 1;                      ///< tokens
};

/// Of the frames that a node has received: at least `mtu`, more where the node has said so. Throws
/// std::invalid_argument with a sentence when no node can have that.
unsigned longest_mtu(const Survey& survey, std::uint16_t node, unsigned mtu);

/// A stage of a node as it was when a capture was made, that is fed by hand, under a clock that is passed in.
class Subject {
  public:
    /// Throws std::invalid_argument with a sentence when the capture does not tell enough of that node.
    Subject(const Survey& survey, const SubjectOptions& options, runtime::Pool& pool);
    ~Subject();
    Subject(const Subject&) = delete;
    Subject& operator=(const Subject&) = delete;

    /// A frame, which it takes with the next poll.
    void feed(std::span<const std::byte> frame);
    void poll(runtime::Time now) { stage_->poll(now); }

    /// What it has sent since it was asked last, by kind.
    std::vector<std::string> sent();
    const runtime::Stage& stage() const noexcept { return *stage_; }

  private:
    class Front;
    class Back;

    runtime::Pool& pool_;
    std::unique_ptr<Front> front_;
    std::unique_ptr<Back> back_;
    std::unique_ptr<runtime::Stage> stage_;
};

}  // namespace isoplane::replay
