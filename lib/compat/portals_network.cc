// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "portals_network.hh"

#include <cstdlib>

#include "net.hh"

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

portals::Nal* PortalsNetwork::nal() {
    if (left_) return nullptr;
    if (job_ == nullptr) {
        try {
            job_ = std::make_unique<job::Job>(settings());
        } catch (const std::exception& error) {
            give_up(error.what());
        }
        on_exit(leave_at_exit, this);
    }
    return &job_->portals();
}

bool PortalsNetwork::is_of_parent() const noexcept {
    return job_ != nullptr && job_->is_of_parent();
}

void PortalsNetwork::leave() {
    if (job_ == nullptr || left_ || is_of_parent()) return;
    while (!job_->try_leave()) {
    }
    job_.reset();
    left_ = true;
}

/// One that ends otherwise than well just goes.
void PortalsNetwork::leave_at_exit(int status, void* network) {
    if (status == 0) static_cast<PortalsNetwork*>(network)->leave();
}

}  // namespace isoplane::compat
