// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <string>
#include <utility>

namespace isoplane::run {

/// The files of one job, which its owner alone may read. The guard makes and removes it; see Guard.
class JobDirectory {
  public:
    /// What mkdtemp() makes it from: below $XDG_RUNTIME_DIR, or /tmp without that.
    static std::string pattern();

    /// One that is there.
    explicit JobDirectory(std::string path) : path_(std::move(path)) {}

    const std::string& path() const { return path_; }
    std::string file(const std::string& name) const { return path_ + "/" + name; }

    /// Writes a file for its owner alone; its name may have one directory in front, which is made.
    void write(const std::string& name, const std::string& text) const;

  private:
    std::string path_;
};

}  // namespace isoplane::run
