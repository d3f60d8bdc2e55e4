// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <new>

namespace isoplane::fi {

/// Our objects derive from what libfabric calls them by, which begins with a fid: so each is found again from
/// either.
template <typename T>
T& object(fid* its) {
    return *static_cast<T*>(reinterpret_cast<typename T::Fid*>(its));
}
template <typename T>
T& object(typename T::Fid* its) {
    return *static_cast<T*>(its);
}

/// What others use. It cannot be closed as long as they do.
class Shared {
  public:
    void hold() noexcept { ++held_; }
    void release() noexcept { --held_; }
    bool is_held() const noexcept { return held_ != 0; }

  private:
    std::atomic<unsigned> held_{0};
};

/// Uses one of these, or none.
template <typename T>
class Use {
  public:
    Use() = default;
    ~Use() { *this = nullptr; }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    Use& operator=(T* its) noexcept {
        if (its != nullptr) its->hold();
        if (its_ != nullptr) its_->release();
        its_ = its;
        return *this;
    }
    operator T*() const noexcept { return its_; }
    T* operator->() const noexcept { return its_; }

  private:
    T* its_ = nullptr;
};

/// Stands for any function of a table that this provider does not have.
struct Unsupported {
    template <typename Result, typename... Arguments>
    using Function = Result (*)(Arguments...);

    template <typename Result, typename... Arguments>
    constexpr operator Function<Result, Arguments...>() const {
        return [](Arguments...) -> Result { return -FI_ENOSYS; };
    }
};
inline constexpr Unsupported kUnsupported;

/// What opens an object may throw; libfabric gets a number.
template <typename Open>
int guarded(Open&& open) noexcept {
    try {
        return open();
    } catch (const std::bad_alloc&) {
        return -FI_ENOMEM;
    } catch (const std::exception&) {
        return -FI_EOTHER;
    }
}

fi_ops fid_ops(int (*close)(fid*), int (*bind)(fid*, fid*, std::uint64_t) = kUnsupported,
               int (*control)(fid*, int, void*) = kUnsupported);

}  // namespace isoplane::fi
