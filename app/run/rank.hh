// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <string>

#include "child.hh"
#include "feed.hh"
#include "labels.hh"
#include "output.hh"

namespace isoplane::run {

/// A rank that runs, and what it writes on its way to our own output.
class Rank {
  public:
    Rank(unsigned number, std::string program, const std::string& label, Child child)
        : number_(number), program_(std::move(program)), child_(std::move(child)), out_(label), err_(label) {}

    unsigned number() const { return number_; }
    Child& child() { return child_; }
    const Child& child() const { return child_; }
    /// Has it read what goes through here, as long as the job goes on.
    void feed(Feed feed) { feed_ = std::move(feed); }
    Feed& fed() { return feed_; }
    const Feed& fed() const { return feed_; }
    /// A rank on another machine: signals for it would end ssh.
    bool is_remote() const { return feed_.open(); }
    /// "rank 2 (PROG)".
    std::string name() const { return "rank " + std::to_string(number_) + " (" + program_ + ")"; }

    /// Forwards what one of its streams has now.
    void forward(Descriptor& stream, Output& output);
    /// Forwards all that it has written so far, and not what others that hold its pipes write meanwhile.
    void drain(Output& output);
    /// Nothing more is to come: completes its last lines.
    void close(Output& output);

  private:
    std::size_t read_some(Descriptor& stream, Output& output);

    unsigned number_;
    std::string program_;
    Child child_;
    Feed feed_;
    LineSplitter out_;
    LineSplitter err_;
};

}  // namespace isoplane::run
