// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/link/link.hh>
#include <isoplane/runtime/pool.hh>
#include <memory>
#include <string>
#include <vector>

namespace isoplane::perf {

/// One end of the pair: a link and the pool it receives into.
struct Side {
    std::unique_ptr<runtime::Pool> pool;
    std::unique_ptr<link::Link> link;
};

/// The links of a pair, or of two pairs that a fabric joins: open, started and up. They close together, as
/// packets of one end's pool may lie in any of the links.
class Sides {
  public:
    /// Each two of the specs are the ends of one wire. Throws with a sentence.
    Sides(const std::vector<link::LinkSpec>& specs, unsigned mtu);
    ~Sides() { close(); }
    Sides(const Sides&) = delete;
    Sides& operator=(const Sides&) = delete;

    /// 0 is a, 1 is b, and so on.
    Side& operator[](unsigned end) noexcept { return sides_[end]; }

    /// Closes the links; whatever used them must be gone. Returns a sentence for each pool that is not full
    /// again.
    std::vector<std::string> close();

  private:
    void await_up();

    std::vector<Side> sides_;
};

/// Links whose two ends can be in one process, named by one spec.
bool joins_itself(const std::string& kind);

/// The links that `text` names: two specs, one spec that both ends share, or only the kind of one for a wire
/// of its own; sockets are made in a directory that goes with this.
class PairOfSpecs {
  public:
    /// `ring` is what a ring of their own is called. Throws std::invalid_argument when the text does not name
    /// a pair.
    explicit PairOfSpecs(const std::string& text, const std::string& ring = "pair");
    ~PairOfSpecs();
    PairOfSpecs(const PairOfSpecs&) = delete;
    PairOfSpecs& operator=(const PairOfSpecs&) = delete;

    const std::vector<link::LinkSpec>& specs() const noexcept { return specs_; }

  private:
    std::string directory_;
    std::vector<link::LinkSpec> specs_;
};

}  // namespace isoplane::perf
