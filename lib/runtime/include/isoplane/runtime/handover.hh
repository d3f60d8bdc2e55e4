// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// DPDK hands packets, jobs and callbacks from one thread to another in code of its own, where a thread
/// sanitizer does not see what orders the two. Said on both sides of it, in builds under one; in others this
/// is nothing.
#pragma once

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ISOPLANE_SAYS_HANDOVERS
#endif
#elif defined(__SANITIZE_THREAD__)
#define ISOPLANE_SAYS_HANDOVERS
#endif

#ifdef ISOPLANE_SAYS_HANDOVERS
#include <sanitizer/tsan_interface.h>
#endif

namespace isoplane::runtime {

/// Before it is given away: what this thread has done until now comes before what whoever takes it does.
inline void hand_over([[maybe_unused]] const void* what) noexcept {
#ifdef ISOPLANE_SAYS_HANDOVERS
    __tsan_release(const_cast<void*>(what));
#endif
}

/// After it has been got.
inline void take_over([[maybe_unused]] const void* what) noexcept {
#ifdef ISOPLANE_SAYS_HANDOVERS
    __tsan_acquire(const_cast<void*>(what));
#endif
}

/// Of each of them.
template <typename T>
void hand_over([[maybe_unused]] T* const* what, [[maybe_unused]] unsigned n) noexcept {
#ifdef ISOPLANE_SAYS_HANDOVERS
    for (unsigned i = 0; i < n; ++i)
        hand_over(what[i]);
#endif
}

template <typename T>
void take_over([[maybe_unused]] T* const* what, [[maybe_unused]] unsigned n) noexcept {
#ifdef ISOPLANE_SAYS_HANDOVERS
    for (unsigned i = 0; i < n; ++i)
        take_over(what[i]);
#endif
}

}  // namespace isoplane::runtime
