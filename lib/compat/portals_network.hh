// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <isoplane/job/job.hh>
#include <memory>

namespace isoplane::compat {

/// The network of a program that speaks Portals, if it was started in a job. It is joined once, and left when
/// the program ends or says that it has done with Portals.
class PortalsNetwork {
  public:
    static constexpr portals::Pid kPid = 1;  ///< of a process that does not ask for another

    static PortalsNetwork& instance();

    /// Whether there can be one.
    bool is_there() const { return job::is_in_job(); }
    /// Of the job that the program is in. Ends the program with a sentence when it cannot know it.
    const job::Settings& settings();
    /// Joins it, and it is there as long as somebody has what is returned. Ends the program with a sentence
    /// when that cannot be; nullptr when it has been left.
    std::shared_ptr<portals::Nal> nal();
    /// This process has been forked by the one that joined it: the place in the job is not its.
    bool is_of_parent() const noexcept;
    /// Waits until all that was sent has arrived. Its interfaces have been closed.
    void leave();
    /// Is not left any more: to the others it just falls silent.
    void abandon() noexcept { left_ = true; }

  private:
    static void leave_at_exit(int status, void* network);

    std::unique_ptr<job::Settings> settings_;
    std::shared_ptr<job::Job> job_;  ///< its interfaces have it, too
    bool left_ = false;
};

}  // namespace isoplane::compat
