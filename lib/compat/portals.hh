// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <atomic>
#include <isoplane/nal/loopback.hh>
#include <memory>
#include <mutex>
#include <vector>

#include <portals3.h>

namespace isoplane::compat {

/// Which process is which in a group, as p3rt.h has it. What is empty has not been set.
struct PortalsGroup {
    std::optional<unsigned> rank{};
    unsigned size = 0;
    std::vector<portals::Nid> nids{};
    std::vector<portals::Pid> pids{};

    /// The pid that this process is to have.
    std::optional<portals::Pid> pid() const {
        if (rank && *rank < pids.size()) return pids[*rank];
        return std::nullopt;
    }
};

/// An interface that a program has initialised. Who is in a call holds it, so that it may be closed at any
/// time.
struct PortalsInterface {
    std::shared_ptr<portals::Nal> nal;
    portals::Interface ni;
    ptl_interface_t iface;
    ptl_handle_ni_t handle;
    PortalsGroup group;
};

/// A thread is in a call of Portals as long as there is one of these. If it calls another meanwhile, that is
/// from within a handler of a signal that came while it may have held locks.
class Inside {
  public:
    Inside() noexcept { ++depth_; }
    ~Inside() {
        --depth_;
        if (is_over_.load(std::memory_order_relaxed)) [[unlikely]]
            stay();
    }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

    static bool anything() noexcept { return depth_ > 0; }
    /// The program ends, by this thread, which is inside from now on. Others do not come back from their
    /// calls: what these would say is no error of theirs.
    static void end() noexcept {
        ++depth_;
        is_over_.store(true, std::memory_order_relaxed);
    }

  private:
    static void stay() noexcept;

    inline static thread_local int depth_ = 0;
    inline static std::atomic<bool> is_over_{false};
};

/// Portals, as a process has it.
class Portals {
  public:
    static Portals& instance();

    void init();
    void fini();
    bool is_initialised();
    /// This process has been forked: the network is its parent's.
    void on_fork() noexcept;

    portals::Status open(ptl_interface_t iface, portals::Pid wanted, const portals::Limits& desired,
                         std::shared_ptr<PortalsInterface>& opened);
    portals::Status close(ptl_handle_ni_t handle);
    /// The interface that an object belongs to; nullptr when there is none. Its caller is Inside.
    std::shared_ptr<PortalsInterface> of(ptl_handle_any_t object);
    /// The one with this handle; the same.
    std::shared_ptr<PortalsInterface> interface(ptl_handle_ni_t handle);

    /// Calls with the group of an interface, or of the next one.
    template <typename Call>
    portals::Status with_group(ptl_handle_ni_t handle, Call&& call) {
        const Lock lock(mutex_);
        if (!initialised_) return portals::Status::kNoInit;
        if (handle == PTL_INVALID_HANDLE) return call(next_group_, nullptr);
        const std::shared_ptr<PortalsInterface> found = find(handle, true);
        return found != nullptr ? call(found->group, found.get()) : portals::Status::kNiInvalid;
    }
    void set_jid(portals::Jid jid);

  private:
    /// Who has it is in a call.
    class Lock {
      public:
        explicit Lock(std::mutex& mutex) : lock_(mutex) {}

      private:
        const Inside inside_;
        const std::lock_guard<std::mutex> lock_;
    };

    std::shared_ptr<PortalsInterface> find(ptl_handle_any_t handle, bool itself) const;
    void forget(std::shared_ptr<PortalsInterface>& opened);
    portals::Status nal_of(ptl_interface_t iface, unsigned& number, std::shared_ptr<portals::Nal>& nal);

    std::mutex mutex_;
    bool initialised_ = false;
    std::shared_ptr<nal::Loopback> loopback_;
    std::shared_ptr<PortalsInterface> interfaces_[portals::kMostInterfaces];
    std::shared_ptr<PortalsInterface> inherited_;  ///< that of the process which forked this one
    std::uint32_t generation_ = 0;                 ///< of the handles of the next one
    portals::Jid jid_ = portals::kAny;
    PortalsGroup next_group_;
};

/// Calls with an interface that was found; without one, says why there is none.
template <typename Call>
int on(const std::shared_ptr<PortalsInterface>& found, portals::Status invalid, Call&& call) {
    if (found != nullptr) [[likely]]
        return static_cast<int>(call(found->ni));
    return Portals::instance().is_initialised() ? static_cast<int>(invalid) : PTL_NO_INIT;
}

/// Calls with the interface that `handle` belongs to: `invalid` if there is none.
template <typename Call>
int on_interface_of(ptl_handle_any_t handle, portals::Status invalid, Call&& call) {
    const Inside inside;
    return on(Portals::instance().of(handle), invalid, call);
}

/// The same, of the handle of an interface.
template <typename Call>
int on_interface(ptl_handle_ni_t handle, Call&& call) {
    const Inside inside;
    return on(Portals::instance().interface(handle), portals::Status::kNiInvalid, call);
}

}  // namespace isoplane::compat
