// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

// Event queues, and words for what happened.
#include <isoplane/portals/waiting.hh>

#include "portals_convert.hh"

#include <p3api/debug.h>

using isoplane::compat::Inside;
using isoplane::compat::on_interface;
using isoplane::compat::on_interface_of;
using isoplane::compat::Portals;
using namespace isoplane::portals;

namespace {

using Deadline = std::optional<std::chrono::steady_clock::time_point>;

void convert(const Event& from, ptl_event_t& to) {
    to.type = static_cast<ptl_event_kind_t>(from.kind);
    to.initiator = {from.initiator.nid, from.initiator.pid};
    to.uid = from.uid;
    to.jid = from.jid;
    to.pt_index = from.portal;
    to.match_bits = from.match_bits;
    to.rlength = from.rlength;
    to.mlength = from.mlength;
    to.offset = from.offset;
    to.md_handle = from.md;
    isoplane::compat::convert(from.spec, to.md);
    to.hdr_data = from.hdr_data;
    to.link = from.link;
    to.ni_fail_type = from.failure;
    to.sequence = from.sequence;
}

/// Its handler is called by who is in no call any more, and may do as it likes.
int next(std::span<const ptl_handle_eq_t> eqs, Deadline until, ptl_event_t& event, int& which) {
    which = 0;
    EventHandler handler = nullptr;
    const int rc = on_interface_of(eqs.front(), Status::kEqInvalid, [&](Interface& its) {
        Event taken{};
        std::size_t index = 0;
        const Status status = wait(its, eqs, until, taken, index, handler);
        if (status == Status::kEqEmpty) return status;
        which = static_cast<int>(index);
        if (status != Status::kOk && status != Status::kEqDropped) return status;
        convert(taken, event);
        return status;
    });
    if (handler != nullptr) reinterpret_cast<ptl_eq_handler_t>(handler)(&event);
    return rc;
}

}  // namespace

int PtlEQAlloc(ptl_handle_ni_t ni, ptl_size_t count, ptl_eq_handler_t handler, ptl_handle_eq_t* eq) {
    if (eq == nullptr) return PTL_SEGV;
    return on_interface(ni, [&](Interface& its) {
        return its.open_queue(count, reinterpret_cast<EventHandler>(handler), *eq);
    });
}

int PtlEQFree(ptl_handle_eq_t eq) {
    return on_interface_of(eq, Status::kEqInvalid, [eq](Interface& its) { return its.free_queue(eq); });
}

int PtlEQGet(ptl_handle_eq_t eq, ptl_event_t* event) {
    if (event == nullptr) return PTL_SEGV;
    int which = 0;
    return next({&eq, 1}, kAtOnce, *event, which);
}

int PtlEQWait(ptl_handle_eq_t eq, ptl_event_t* event) {
    if (event == nullptr) return PTL_SEGV;
    int which = 0;
    return next({&eq, 1}, {}, *event, which);
}

int PtlEQPoll(ptl_handle_eq_t* eqs, int size, ptl_time_t timeout, ptl_event_t* event, int* which_eq) {
    if (eqs == nullptr || event == nullptr || which_eq == nullptr) return PTL_SEGV;
    if (!Portals::instance().is_initialised()) return PTL_NO_INIT;
    if (size <= 0) return PTL_EQ_INVALID;
    Deadline until;
    if (timeout == 0)
        until = kAtOnce;
    else if (timeout != PTL_TIME_FOREVER)
        until = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout);
    const int status = next({eqs, static_cast<std::size_t>(size)}, until, *event, *which_eq);
    // There are programs that look at it without having been given an event.
    if (status == PTL_EQ_EMPTY) event->ni_fail_type = PTL_NI_OK;
    return status;
}

int PtlEQCount(ptl_handle_eq_t eq, ptl_size_t* count) {
    if (count == nullptr) return PTL_SEGV;
    return on_interface_of(eq, Status::kEqInvalid,
                           [&](Interface& its) { return its.count_events(eq, *count); });
}

int PtlProgress(ptl_handle_any_t handle, ptl_time_t) {
    return on_interface_of(handle, Status::kHandleInvalid, [](Interface& its) {
        its.nal().progress(its);
        return Status::kOk;
    });
}

const char* PtlErrorStr(unsigned int rc) {
    return name_of(static_cast<Status>(rc));
}

const char* PtlEventKindStr(ptl_event_kind_t kind) {
    return name_of(static_cast<EventKind>(kind));
}

const char* PtlNIFailStr(ptl_handle_ni_t ni, ptl_ni_fail_t fail) {
    if (fail == PTL_NI_OK) return "PTL_NI_OK";
    if (fail == PTL_NI_FAIL) return "PTL_NI_FAIL";
    const Inside inside;
    const auto its = Portals::instance().interface(ni);
    const char* const name = its != nullptr ? its->nal->name_of(fail) : nullptr;
    return name != nullptr ? name : "PTL_NI_UNKNOWN_ERROR";
}

unsigned int PtlNIDebug(ptl_handle_ni_t, unsigned int mask) {
    static std::atomic<unsigned int> kept{0};
    return kept.exchange(mask);
}
