// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#include "between_bursts.hh"

#include <poll.h>
#include <rte_interrupts.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <isoplane/runtime/handover.hh>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace isoplane::link {

namespace {

/// The EAL's interrupt thread, which waits in a callback of ours instead of in the EAL: for the same events,
/// but with all bursts free to run. It goes back to the EAL only while it has them stopped, and the EAL sends
/// it here again when it has handled what there was, as the descriptor that the callback belongs to is always
/// readable then.
class InterruptThread {
  public:
    /// Never destroyed: that thread may come by until the process has ended.
    static InterruptThread& get() {
        static InterruptThread* const only = new InterruptThread;
        return *only;
    }

    void add(std::mutex& burst) {
        const std::lock_guard lock(mutex_);
        bursts_.push_back(&burst);
    }
    void remove(std::mutex& burst) {
        const std::lock_guard lock(mutex_);
        std::erase(bursts_, &burst);
    }

  private:
// Interrupts of one's own are not in DPDK's stable interface yet, and where sources are compiled together
// another has said by now that it wants nothing else.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    InterruptThread() {
        runtime::hand_over(this);
        rte_intr_handle* const handle = rte_intr_instance_alloc(RTE_INTR_INSTANCE_F_PRIVATE);
        const bool registered = readable_ >= 0 && handle != nullptr &&
                                rte_intr_fd_set(handle, readable_) == 0 &&
                                rte_intr_type_set(handle, RTE_INTR_HANDLE_EXT) == 0 &&
                                rte_intr_callback_register(handle, come_by, this) == 0;
        rte_intr_instance_free(handle);  // the EAL has a copy
        if (!registered) throw std::runtime_error("the EAL's interrupt thread takes no callback");
        came_by_.wait(false);
    }
#pragma GCC diagnostic pop

    static void come_by(void* self) {
        runtime::take_over(self);
        static_cast<InterruptThread*>(self)->wait_for_events();
    }

    void wait_for_events() {
        std::uint64_t was = 0;
        if (read(readable_, &was, sizeof was) < 0) return;  // cannot be: the EAL has found it readable
        if (came_by_.load(std::memory_order_relaxed)) {
            for (std::mutex* burst : bursts_)
                burst->unlock();
            mutex_.unlock();
        } else {
            came_by_.store(true);
            came_by_.notify_all();
        }
        // Where /proc does not tell what the EAL waits for, it is let go now and then.
        pollfd events{.fd = find_epoll(), .events = POLLIN, .revents = 0};
        poll(&events, 1, events.fd < 0 ? 10 : -1);
        mutex_.lock();
        for (std::mutex* burst : bursts_)
            burst->lock();
        was = 1;
        if (write(readable_, &was, sizeof was) < 0) std::terminate();  // cannot be: it was 0
    }

    /// Whether the EAL waits for events with this descriptor.
    bool is_epoll(int descriptor) const {
        std::ifstream info("/proc/self/fdinfo/" + std::to_string(descriptor));
        for (std::string word; info >> word;) {
            int waited_for = -1;
            if (word == "tfd:" && info >> waited_for && waited_for == readable_) return true;
        }
        return false;
    }

    /// It makes a new one when a callback comes or goes. -1: none was found.
    int find_epoll() {
        if (epoll_ >= 0 && is_epoll(epoll_)) return epoll_;
        epoll_ = -1;
        std::error_code none;
        for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fdinfo", none)) {
            const int descriptor = std::stoi(entry.path().filename());
            if (is_epoll(descriptor)) epoll_ = descriptor;
        }
        return epoll_;
    }

    const int readable_ = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
    std::atomic<bool> came_by_{false};
    std::mutex mutex_;  ///< of the list; held by that thread while it is in the EAL
    std::vector<std::mutex*> bursts_;
    int epoll_ = -1;
};

}  // namespace

BetweenBursts::BetweenBursts() {
    InterruptThread::get().add(burst_);
}

BetweenBursts::~BetweenBursts() {
    InterruptThread::get().remove(burst_);
}

}  // namespace isoplane::link
