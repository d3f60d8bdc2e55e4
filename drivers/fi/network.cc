// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "network.hh"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <utility>

#include "meeting.hh"

namespace isoplane::fi {

namespace {

using namespace std::chrono_literals;

/// How often the thread looks whether anybody else moves the packets.
constexpr timespec kSeldom{0, 20'000'000};
/// With nothing to do for a while; at most so long until what comes is seen.
constexpr timespec kOften{0, 50'000};
/// Rounds without anything, and each gives the CPU away, before that.
constexpr unsigned kPatience = 200;

job::Settings settings() {
    job::Settings settings = job::settings_from_environment(meet);
    settings.portals = true;
    settings.portals_locked = true;
    // Whoever holds the lock is who polls: nothing may arrive meanwhile.
    settings.progress = job::Progress::kInline;
    return settings;
}

/// Signals are the program's.
class NoSignals {
  public:
    NoSignals() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    NoSignals(const NoSignals&) = delete;
    NoSignals& operator=(const NoSignals&) = delete;

  private:
    sigset_t before_;
};

}  // namespace

void complain(const std::string& sentence) {
    std::fprintf(stderr, "isoplane: %s\n", sentence.c_str());
}

Network& Network::instance() {
    static std::mutex mutex;
    static std::exception_ptr failure;
    // Never destroyed: it is left at exit, and the EAL's threads go on until the end.
    static Network* network = nullptr;
    const std::lock_guard guard(mutex);
    if (failure) std::rethrow_exception(failure);
    if (network != nullptr) return *network;
    bool has_begun = false;
    try {
        job::Settings its = settings();
        has_begun = true;
        network = new Network(std::move(its));
    } catch (const std::exception& error) {
        complain(error.what());
        if (has_begun) failure = std::current_exception();
        throw;
    }
    return *network;
}

Network::Network(job::Settings wanted)
    : job_(std::make_unique<job::Job>(std::move(wanted))),
      changes_(job_->changes_of_lives()),
      lives_(job_->size()) {
    on_exit(leave_at_exit, this);
    const NoSignals block;
    thread_ = std::thread([this] { run(); });
}

std::size_t Network::most_at_once() const noexcept {
    const job::Settings& settings = job_->settings();
    return (1 + settings.planes.size()) * settings.packets * std::size_t{settings.mtu};
}

bool Network::progress() {
    if (is_over()) [[unlikely]]
        return false;
    rounds_.store(rounds_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    const bool moved = job_->progress();
    // Before anybody knows what has come since.
    if (changes_.load(std::memory_order_relaxed) != seen_) [[unlikely]]
        look_at_lives();
    for (Watcher* watcher : watchers_)
        watcher->look();
    return moved;
}

void Network::rest(bool found) noexcept {
    thread_local constinit runtime::Idler idler(runtime::IdlePolicy::kYield);
    idler.step(found);
}

/// A node that was there is lost when it is not, or is there in another life.
void Network::look_at_lives() {
    seen_ = changes_.load(std::memory_order_relaxed);
    for (std::size_t nid = 0; nid < lives_.size(); ++nid) {
        const std::uint32_t epoch = job_->life(static_cast<niu::NodeId>(nid));
        const std::uint32_t before = lives_[nid].epoch;
        if (epoch == before) continue;
        lives_[nid] = {epoch, epoch == 0};
        if (before == 0) continue;
        for (Watcher* watcher : watchers_)
            watcher->lost(static_cast<portals::Nid>(nid));
    }
}

void Network::want_thread() {
    ++wanted_;
}

void Network::run() {
    std::uint32_t seen = 0;
    unsigned idle = 0;
    while (!ends_.load(std::memory_order_relaxed)) {
        const bool is_wanted = wanted_.load(std::memory_order_relaxed) != 0;
        if (!is_wanted || idle > kPatience) nanosleep(is_wanted ? &kOften : &kSeldom, nullptr);
        const bool others_do = !is_wanted && rounds_.load(std::memory_order_relaxed) != seen;
        if (!others_do && lock_.try_lock()) {
            const bool moved = progress();
            if (moved && !is_wanted) {
                for (unsigned more = 0; more < kPatience && progress(); ++more) {
                }
            }
            idle = moved ? 0 : idle + 1;
            lock_.unlock();
        } else {
            ++idle;
        }
        if (is_wanted) sched_yield();
        seen = rounds_.load(std::memory_order_relaxed);
    }
}

/// One that ends otherwise than well just goes. So does what the program has forked: what comes is its
/// parent's, and so are the packets.
void Network::leave_at_exit(int status, void* network) {
    Network& its = *static_cast<Network*>(network);
    if (its.job_->is_of_parent()) return its.lock_.keep();
    if (status == 0) its.leave();
}

void Network::leave() {
    ends_ = true;
    thread_.join();
    constexpr auto kLimit = 5s;
    runtime::Patience patience(kLimit);
    const bool is_mine = lock_.lock_within(patience);
    // What other threads want of it waits until the process has gone. This one still runs what was registered
    // before, and destructors, which may close what there is.
    lock_.keep();
    if (!is_mine) return;
    while (!job_->try_leave() && !patience.is_over()) {
    }
    job_.reset();
}

}  // namespace isoplane::fi
