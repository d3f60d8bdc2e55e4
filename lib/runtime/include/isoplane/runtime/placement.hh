// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace isoplane::runtime {

/// Which stage runs on which worker, from "rx@1 fabric@1 tm@2".
///
/// A name stands for the stage of that name, or for all stages of that kind (`rx` for rx0, rx1, …); the more
/// exact name wins. Stages that are not named are dealt out over the workers in turn. Workers count from 1.
class Placement {
  public:
    Placement() = default;
    /// Throws std::invalid_argument with a sentence that shows the word it could not read.
    explicit Placement(std::string_view text);

    /// The worker asked for `stage`, or 0 when nothing names it.
    unsigned find(std::string_view stage) const;
    /// The highest worker named; 0 when none is.
    unsigned highest() const;

    /// A worker for each stage, in order: what was asked for, the others dealt out over `workers`.
    /// Throws std::invalid_argument when a name fits no stage or a worker is above `workers`.
    std::vector<unsigned> assign(const std::vector<std::string>& stages, unsigned workers) const;

  private:
    struct Wish {
        std::string name;
        unsigned worker;
    };
    std::vector<Wish> wishes_;
};

}  // namespace isoplane::runtime
