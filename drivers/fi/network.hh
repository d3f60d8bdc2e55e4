// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <isoplane/job/job.hh>
#include <isoplane/portals/interface.hh>
#include <isoplane/runtime/poll_watch.hh>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace isoplane::fi {

/// Who wants to know what has come when the network has moved.
class Watcher {
  public:
    virtual ~Watcher() = default;
    virtual void look() = 0;
    /// That node has died, or left, and what has come since it was last looked is not of that life.
    virtual void lost(portals::Nid nid) = 0;
};

/// The network of this process: its place in a job. It is joined when the first domain is opened, and left
/// when the process ends well.
///
/// One lock is around all that the provider has, this included. Who holds it moves the packets and then looks
/// at all that has come: so nothing arrives behind anybody's back, and what one round can bring is bounded by
/// the packets there are.
///
/// A thread of its own moves them when nobody else does: at once where automatic progress was asked for, and
/// otherwise seldom, so that peers know that this process lives however long it computes.
class Network {
  public:
    /// The thread takes it only when nobody else wants it.
    class Lock {
      public:
        void lock() noexcept {
            if (lock_.try_lock()) [[likely]]
                return;
            if (keeper_.load(std::memory_order_relaxed) == std::this_thread::get_id()) return;
            ++wanted_;
            lock_.lock();
            --wanted_;
        }
        /// False when somebody else still has it then.
        bool lock_within(runtime::Patience& patience) noexcept {
            ++wanted_;
            bool is_mine = false;
            while (!(is_mine = lock_.try_lock()) && !patience.is_over())
                std::this_thread::yield();
            --wanted_;
            return is_mine;
        }
        void unlock() noexcept {
            if (!is_kept()) [[likely]]
                lock_.unlock();
        }
        /// It is never given back: all others wait from now on, and this thread does not any more.
        void keep() noexcept {
            lock_.try_lock();
            keeper_.store(std::this_thread::get_id(), std::memory_order_relaxed);
        }
        bool is_kept() const noexcept { return keeper_.load(std::memory_order_relaxed) != std::thread::id(); }
        bool try_lock() noexcept { return wanted_.load(std::memory_order_relaxed) == 0 && lock_.try_lock(); }

      private:
        portals::SpinLock lock_;
        std::atomic<unsigned> wanted_{0};
        std::atomic<std::thread::id> keeper_{};
    };
    using Guard = std::lock_guard<Lock>;

    /// Joins it. Throws with a sentence: later calls try again, but not when it was the network that could
    /// not be had, as the EAL starts once in a process.
    static Network& instance();

    Lock& lock() noexcept { return lock_; }
    portals::Nal& nal() noexcept { return job_->portals(); }
    portals::Nid node() const noexcept { return job_->node(); }
    std::size_t size() const noexcept { return job_->size(); }
    /// Bytes of data that can arrive in one round.
    std::size_t most_at_once() const noexcept;

    // With the lock held.

    /// It has been left at the end of the process, or is that of the process which has forked this one: what
    /// there is of it goes without it.
    bool is_over() const noexcept { return lock_.is_kept(); }
    /// Of an endpoint that goes when it is over: it cannot be closed.
    void keep(std::unique_ptr<portals::Interface> interface) { kept_.push_back(std::move(interface)); }

    void add(Watcher& watcher) { watchers_.push_back(&watcher); }
    void remove(Watcher& watcher) { std::erase(watchers_, &watcher); }
    /// For a new interface, which is to take it; kMostInterfaces when there are as many as there can be.
    unsigned free_number() const noexcept {
        return is_over() ? portals::kMostInterfaces : static_cast<unsigned>(std::countr_one(numbers_));
    }
    void take_number(unsigned number) { numbers_ |= 1U << number; }
    /// From here on, `in_its_place` answers to what is for the pid of the one that has had it.
    void give_back_number(unsigned number, std::unique_ptr<portals::Interface> in_its_place) {
        numbers_ &= ~(1U << number);
        closed_[number] = std::move(in_its_place);
    }
    /// The pid is free for one that will have this number.
    void free_pid(unsigned number) { closed_[number].reset(); }

    /// One round. Returns whether anything moved.
    bool progress();
    /// It has been there, and is not any more.
    bool is_lost(portals::Nid nid) const { return nid < lives_.size() && lives_[nid].is_lost; }
    /// All that was sent has arrived.
    bool all_arrived() { return job_->all_arrived(); }

    /// Without the lock, when a call of the program has looked for something: gives the CPU to whoever wants
    /// it when there was nothing for a while.
    static void rest(bool found) noexcept;

    // Automatic progress is wanted by so many.

    void want_thread();
    void unwant_thread() noexcept { --wanted_; }

  private:
    struct Life {
        std::uint32_t epoch = 0;
        bool is_lost = false;
    };

    explicit Network(job::Settings wanted);
    void look_at_lives();
    void run();
    static void leave_at_exit(int status, void* network);
    void leave();

    Lock lock_;
    std::unique_ptr<job::Job> job_;
    std::vector<Watcher*> watchers_;
    std::vector<std::unique_ptr<portals::Interface>> kept_;
    /// In the places of endpoints that are closed, until others take them.
    std::array<std::unique_ptr<portals::Interface>, portals::kMostInterfaces> closed_;
    unsigned numbers_ = 0;
    const std::atomic<std::uint64_t>& changes_;  ///< of lives, and how many of them have been seen
    std::uint64_t seen_ = 0;
    std::vector<Life> lives_;
    std::atomic<std::uint32_t> rounds_{0};
    std::atomic<unsigned> wanted_{0};
    std::atomic<bool> ends_{false};
    std::thread thread_;
};

/// Says so on standard error: what opens a domain has a number for it only.
void complain(const std::string& sentence);

}  // namespace isoplane::fi
