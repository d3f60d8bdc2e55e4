// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <sys/stat.h>

#include <string>

namespace isoplane::share {

/// The socket where clients find a node, at a path that is one node's at a time.
class Listener {
  public:
    /// In place of a socket that somebody who was killed has left there. Throws std::runtime_error with a
    /// sentence when another node listens there, or nobody can.
    explicit Listener(const std::string& path);
    /// The path stays as it is.
    ~Listener();
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    int descriptor() const noexcept { return descriptor_; }
    /// Nobody new finds it from here on. What is another's by now stays where it is.
    void remove_path() const noexcept;

  private:
    const std::string path_;
    int descriptor_ = -1;
    struct stat made_ {};  ///< what is at the path as long as that is ours
};

}  // namespace isoplane::share
