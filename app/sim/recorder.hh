// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/runtime/edge.hh>
#include <isoplane/sim/world.hh>
#include <memory>
#include <string>
#include <vector>

#include "capture/pcapng.hh"

namespace isoplane::sim {

/// Writes what passes the hosts' ends of links into a capture file, in virtual time.
class Recorder {
  public:
    /// Throws std::runtime_error with a sentence when the file cannot be made.
    Recorder(const std::string& file, const World& world);
    ~Recorder();
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    /// Before the first frame. While the recorder is there, so is the link; after it, no frame may pass.
    void watch(const std::string& name, const Link::End& end);

    /// Throws std::runtime_error with a sentence unless all is in the file.
    void finish() { writer_.finish(); }

  private:
    class Ear;

    capture::Writer writer_;
    const World& world_;
    std::vector<std::unique_ptr<Ear>> ears_;
};

}  // namespace isoplane::sim
