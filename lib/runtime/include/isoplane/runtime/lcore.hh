// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <atomic>
#include <functional>
#include <mutex>

#include <isoplane/runtime/idle.hh>
#include <isoplane/runtime/pipeline.hh>
#include <isoplane/runtime/time.hh>

namespace isoplane::runtime {

/// A pipeline on a worker lcore of its own: the loop that passes the clock, idles by policy and answers its
/// mailbox.
///
/// Members may be called from any thread but the lcores themselves; they wait for each other.
class Lcore {
  public:
    Lcore(unsigned lcore_id, IdlePolicy idle);
    ~Lcore();
    Lcore(const Lcore&) = delete;
    Lcore& operator=(const Lcore&) = delete;

    unsigned id() const noexcept { return lcore_id_; }
    Pipeline& pipeline() noexcept { return pipeline_; }  ///< to be changed only while stopped

    /// Starts polling. Throws std::runtime_error when the lcore does not exist or is busy.
    void start();
    /// Ends the loop after its present round and waits for that. Harmless when it does not run.
    void stop();

    /// Runs `what` between two rounds on the lcore, or here while the lcore is stopped, and waits for it: the
    /// one way to touch what belongs to a running stage.
    void call(const std::function<void()>& what);

  private:
    static int entry(void* self);
    void loop();

    unsigned lcore_id_;
    IdlePolicy idle_;
    Pipeline pipeline_;
    TscClock clock_;
    std::mutex control_;  ///< between controlling threads; the lcore never takes it
    bool running_ = false;
    std::atomic<bool> stop_{false};
    std::atomic<const std::function<void()>*> mail_{nullptr};
};

}  // namespace isoplane::runtime
