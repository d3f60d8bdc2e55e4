// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "portals_network.hh"

#include <pthread.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "net.hh"
#include "portals.hh"

namespace isoplane::compat {

PortalsNetwork& PortalsNetwork::instance() {
    // Never destroyed: leaving at exit still asks it.
    static PortalsNetwork* const network = new PortalsNetwork;
    return *network;
}

const job::Settings& PortalsNetwork::settings() {
    if (settings_ == nullptr) {
        try {
            settings_ = std::make_unique<job::Settings>(job::settings_from_environment());
        } catch (const std::exception& error) {
            give_up(error.what());
        }
        settings_->portals = true;
    }
    return *settings_;
}

std::shared_ptr<portals::Nal> PortalsNetwork::nal() {
    if (left_ || is_of_parent()) return nullptr;
    if (job_ == nullptr) {
        try {
            job_ = std::make_shared<job::Job>(settings());
        } catch (const std::exception& error) {
            give_up(error.what());
        }
        on_exit(leave_at_exit, this);
        pthread_atfork(nullptr, nullptr, [] { Portals::instance().on_fork(); });
    }
    return {job_, &job_->portals()};
}

bool PortalsNetwork::is_of_parent() const noexcept {
    return job_ != nullptr && job_->is_of_parent();
}

/// Who is still in a call comes back from it now. If he does not, as a handler of a signal keeps him, the job
/// stays for him.
void PortalsNetwork::leave() {
    if (job_ == nullptr || left_) return;
    left_ = true;
    while (!job_->try_leave()) {
    }
    constexpr auto kLimit = std::chrono::seconds(5);
    const auto limit = std::chrono::steady_clock::now() + kLimit;
    while (job_.use_count() != 1) {
        if (std::chrono::steady_clock::now() > limit) return;
        std::this_thread::yield();
    }
    job_.reset();
}

/// One that ends otherwise than well just goes; so do one that ends in a handler of a signal that has
/// interrupted a call, and what the program has forked.
void PortalsNetwork::leave_at_exit(int status, void* network) {
    if (status != 0 || Inside::anything() || static_cast<PortalsNetwork*>(network)->is_of_parent()) return;
    Inside::end();
    Portals::instance().fini();
}

}  // namespace isoplane::compat
