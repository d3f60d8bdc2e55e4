// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

#pragma once

#include "portals.hh"

namespace isoplane::compat {

// Segments are not converted: they are the same.
static_assert(sizeof(ptl_md_iovec_t) == sizeof(portals::Segment));
static_assert(offsetof(ptl_md_iovec_t, iov_len) == offsetof(portals::Segment, length));
static_assert(static_cast<int>(portals::Status::kUnknownError) == PTL_UNKNOWN_ERROR);
static_assert(static_cast<int>(portals::EventKind::kUnlink) == PTL_EVENT_UNLINK);
static_assert(portals::kEndDisable == PTL_MD_EVENT_END_DISABLE && portals::kMaxSize == PTL_MD_MAX_SIZE);
static_assert(portals::kNoQueue == PTL_EQ_NONE && portals::kNone == PTL_HANDLE_NONE);

inline portals::MdSpec md_of(const ptl_md_t& md) {
    return {md.start, md.length, md.threshold, md.max_size, md.options, md.user_ptr, md.eq_handle};
}

inline void convert(const portals::MdSpec& spec, ptl_md_t& md) {
    md.start = spec.start;
    md.length = spec.length;
    md.threshold = spec.threshold;
    md.max_size = spec.max_size;
    md.options = spec.options;
    md.user_ptr = spec.user_ptr;
    md.eq_handle = spec.eq;
}

}  // namespace isoplane::compat
