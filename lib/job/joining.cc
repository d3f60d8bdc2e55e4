// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// A node comes into its job: when everybody is there, and has what all need.

#include <isoplane/job/job.hh>
#include <isoplane/runtime/poll_watch.hh>
#include <stdexcept>

#include "driver.hh"
#include "roster.hh"

namespace isoplane::job {

void Job::join() {
    driver_->start();
    for (;;) {
        bool all_up = false;
        std::string missing;
        driver_->call([&] {
            const bool started = !network_->time || network_->time->started();
            all_up = started && all_members_up();
            if (!started || !network_->time || !network_->time->survives()) missing = network_->niu.missing();
            if (missing.empty() && network_->time) missing = network_->time->trouble(settings_.hello_limit);
            if (all_up) roster_->begin();
        });
        if (!missing.empty()) throw std::runtime_error(missing + refused());
        if (all_up && sees_all()) break;
        poll();
    }
    if (memory_) agree_on_memory();
}

/// What may be why somebody has not been heard; empty when it is not that.
std::string Job::refused() const {
    const std::uint64_t frames = network_->gate == nullptr ? 0 : network_->gate->refused();
    if (frames == 0) return {};
    return "; " + std::to_string(frames) +
           " frames were refused as they are not authentic: see that all nodes have the same key, and clocks "
           "that do not go back";
}

/// But for those without whom logical time has gone on before this node joined it.
bool Job::all_members_up() const noexcept {
    for (std::size_t host = 0; host < size_; ++host) {
        const auto id = static_cast<niu::NodeId>(host);
        const bool is_missing = id != node() && network_->niu.state(id) != niu::PeerState::kUp;
        if (is_missing && !(network_->time && network_->time->has_left(id))) return false;
    }
    return true;
}

/// Nobody uses it before all have the same.
void Job::agree_on_memory() {
    driver_->call([this] { memory_->introduce(size_); });
    runtime::Patience patience(settings_.hello_limit);
    for (;;) {
        bool agreed = false;
        std::string difference;
        driver_->call([&] {
            const shmem::Layout& layout = memory_->layout();
            const std::size_t unheard =
                layout.unheard(size_, [this](niu::NodeId host) { return network_->time->has_left(host); });
            agreed = unheard == size_;
            difference = layout.difference();
            if (!patience.is_over() || agreed || !difference.empty()) return;
            difference =
                settings_.hosts()[unheard] +
                " has not said how large its shared memory is: see that all programs of the job use it";
        });
        if (agreed) return;
        if (!difference.empty()) throw std::runtime_error(difference);
        poll();
    }
}

/// What the program's end of logical time knows of a host may come an instant after the host.
bool Job::sees_all() {
    for (std::size_t host = 0; isotach_ != nullptr && host < size_; ++host) {
        const auto id = static_cast<niu::NodeId>(host);
        if (id == node() || isotach_->max_message(id) != 0) continue;
        bool left = false;
        driver_->call([&] { left = network_->time->has_left(id); });
        if (!left) return false;
    }
    return true;
}

}  // namespace isoplane::job
