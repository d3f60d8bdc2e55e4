/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* What programs of Portals 3.3 that are ranks of a group begin and end with. They are compiled with the name
 * of a header of an interface in P3_NAL. */
#ifndef P33_H
#define P33_H

#include <p3-config.h>
#include <portals3.h>
#include P3_NAL
#include <p3/debug.h>
#include <p3api/debug.h>
#include <p3rt/p3rt.h>
#include <p3utils.h>
#include <stdlib.h>
#include <string.h>

#define PORTAL 4
#define GATE 5 /* where partners meet */

#define MUST(call) must(call, #call, __LINE__)
#define CHECK(what) ((what) ? (void)0 : fail(#what, __LINE__))

static const ptl_process_id_t anyone = {PTL_NID_ANY, PTL_PID_ANY};
static ptl_handle_ni_t ni;
static ptl_process_id_t self;
static unsigned rank, size;

static void fail(const char* what, int line) {
    fprintf(stderr, FMT_NIDPID ": line %d: not so: %s\n", self.nid, self.pid, line, what);
    exit(1);
}

static void must(int rc, const char* call, int line) {
    if (rc == PTL_OK) return;
    fprintf(stderr, FMT_NIDPID ": line %d: %s: %s\n", self.nid, self.pid, line, call,
            PtlErrorStr((unsigned)rc));
    exit(1);
}

static int same(ptl_process_id_t a, ptl_process_id_t b) {
    return a.nid == b.nid && a.pid == b.pid;
}

static ptl_md_t md_of(void* start, ptl_size_t length, int threshold, unsigned options, ptl_handle_eq_t eq) {
    ptl_md_t md;
    memset(&md, 0, sizeof md);
    md.start = start;
    md.length = length;
    md.threshold = threshold;
    md.options = options;
    md.user_ptr = start;
    md.eq_handle = eq;
    return md;
}

static ptl_handle_eq_t queue_of(ptl_size_t count) {
    ptl_handle_eq_t eq;
    MUST(PtlEQAlloc(ni, count, PTL_EQ_HANDLER_NONE, &eq));
    return eq;
}

/* An MD on an entry of its own. */
static __inline__ ptl_handle_md_t attach(ptl_process_id_t from, ptl_match_bits_t bits, ptl_md_t md,
                                         ptl_handle_me_t* me) {
    ptl_handle_md_t handle;
    MUST(PtlMEAttach(ni, PORTAL, from, bits, 0, PTL_RETAIN, PTL_INS_AFTER, me));
    MUST(PtlMDAttach(*me, md, PTL_RETAIN, &handle));
    return handle;
}

/* The next event, which is of that kind, and no failure. */
static ptl_event_t expect_at(ptl_handle_eq_t eq, ptl_event_kind_t kind, int line) {
    ptl_event_t event;
    must(PtlEQWait(eq, &event), "PtlEQWait", line);
    if (event.type == kind && event.ni_fail_type == PTL_NI_OK) return event;
    fprintf(stderr, FMT_NIDPID ": line %d: %s, %s instead of %s\n", self.nid, self.pid, line,
            PtlEventKindStr(event.type), PtlNIFailStr(ni, event.ni_fail_type), PtlEventKindStr(kind));
    exit(1);
}
#define EXPECT(eq, kind) expect_at(eq, PTL_EVENT_##kind, __LINE__)

static __inline__ ptl_process_id_t id_of(unsigned of_rank) {
    ptl_process_id_t id;
    MUST(PtlGetRankId(ni, of_rank, &id));
    return id;
}

static __inline__ void join(void) {
    int interfaces;
    MUST(PtlInit(&interfaces));
    PtlNIDebug(PTL_INVALID_HANDLE, PTL_DBG_NONE);
    MUST(PtlSetRank(PTL_INVALID_HANDLE, -1, -1));
    MUST(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, NULL, NULL, &ni));
    MUST(PtlGetRank(ni, &rank, &size));
    MUST(PtlGetId(ni, &self));
    CHECK(same(self, id_of(rank)));
    MUST(PtlACEntry(ni, 0, anyone, PTL_UID_ANY, PTL_JID_ANY, PTL_PT_INDEX_ANY));
    p3_out = stdout;
}

/* Returns when each of the two knows that the other is there: its put has arrived, and ours was acknowledged.
 * Who is not there yet drops what is for it, so it is put again from time to time. Several threads of a
 * process meet those with their bits. */
static __inline__ void meet(ptl_process_id_t partner, ptl_match_bits_t bits) {
    ptl_handle_eq_t eq = queue_of(1000); /* what was put before the other was there may come at once */
    ptl_handle_me_t me;
    ptl_handle_md_t md;
    timeout_val_t again;
    int has_come = 0, has_sent = 0, is_acknowledged = 0, which, rc;

    MUST(PtlMEAttach(ni, GATE, partner, bits, 0, PTL_RETAIN, PTL_INS_AFTER, &me));
    MUST(PtlMDAttach(me, md_of(NULL, 0, PTL_MD_THRESH_INF, PTL_MD_OP_PUT, eq), PTL_RETAIN, &md));
    set_timeout(&again, 0);
    while (!has_come || !has_sent || !is_acknowledged) {
        ptl_event_t event;
        if (!is_acknowledged && test_timeout(&again)) {
            MUST(PtlPut(md, PTL_ACK_REQ, partner, GATE, 0, bits, 0, 0));
            set_timeout(&again, 200);
        }
        rc = PtlEQPoll(&eq, 1, 10, &event, &which);
        if (rc == PTL_EQ_EMPTY) continue;
        must(rc, "PtlEQPoll", __LINE__);
        CHECK(event.ni_fail_type == PTL_NI_OK);
        if (event.type == PTL_EVENT_PUT_END && same(event.initiator, partner)) has_come = 1;
        if (event.type == PTL_EVENT_SEND_END && same(event.initiator, self)) has_sent = 1;
        if (event.type == PTL_EVENT_ACK && same(event.initiator, partner)) is_acknowledged = 1;
    }
    while ((rc = PtlMDUnlink(md)) == PTL_MD_IN_USE)
        PtlProgress(ni, 0);
    must(rc, "PtlMDUnlink", __LINE__);
    MUST(PtlMEUnlink(me));
    MUST(PtlEQFree(eq));
}

#endif
