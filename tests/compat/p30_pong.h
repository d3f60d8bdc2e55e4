/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Clients and a server of Portals 3.2. */
#ifndef P30_PONG_H
#define P30_PONG_H

#include <portals/p30.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SERVER_NID 0
#define SERVER_PID 5
#define SERVER_PORTAL 2
#define CLIENT_PORTAL 4
#define BULK_PORTAL 5
#define DOOR 6
#define BUFFER (30 * 1024)

#define MUST(call) must(call, #call, __LINE__)

static ptl_handle_ni_t ni;

static void must(int rc, const char* call, int line) {
    if (rc == 0) return;
    fprintf(stderr, "line %d: %s returned %d\n", line, call, rc);
    exit(1);
}

static void quit(const char* why) {
    fprintf(stderr, "%s\n", why);
    exit(1);
}

static void open_portals(ptl_pid_t pid) {
    ptl_ni_limits_t desired, actual;
    desired.max_match_entries = 10;
    desired.max_mem_descriptors = 10;
    desired.max_event_queues = 10;
    desired.max_atable_index = 0;
    desired.max_ptable_index = 10;
    MUST(PtlInit(NULL));
    MUST(PtlNIInit(PTL_IFACE_INAL, pid, &desired, &actual, &ni));
    if (actual.max_ptable_index < 10) quit("too few portals");
}

static void close_portals(void) {
    PtlNIFini(ni);
    PtlFini();
}

/* Puts of nothing, which a server that has opened that door acknowledges. */
static __inline__ void knock(ptl_process_id_t server, int door) {
    ptl_handle_eq_t eq;
    ptl_handle_md_t md;
    ptl_md_t spec;
    ptl_event_t event;
    int is_open = 0, polls;

    MUST(PtlEQAlloc(ni, 64, &eq));
    spec.start = NULL;
    spec.length = 0;
    spec.threshold = PTL_MD_THRESH_INF;
    spec.options = 0;
    spec.eventq = eq;
    MUST(PtlMDBind(ni, spec, &md));
    while (!is_open) {
        int is_sent = 0;
        MUST(PtlPut(md, PTL_ACK_REQ, server, DOOR, 0, door, 0, 0));
        for (polls = 0; !is_sent || (!is_open && polls < 1000); polls++) {
            if (PtlEQGet(eq, &event) == PTL_EQ_EMPTY) continue;
            if (event.type == PTL_EVENT_SEND_FAIL) quit("the server cannot be reached");
            is_sent |= event.type == PTL_EVENT_SEND_END;
            is_open |= event.type == PTL_EVENT_ACK;
        }
    }
    PtlMDUnlink(md);
    PtlEQFree(eq);
}

static __inline__ ptl_handle_me_t open_door(int door) {
    ptl_process_id_t any = {PTL_NID_ANY, PTL_PID_ANY};
    ptl_handle_me_t me;
    ptl_md_t spec;
    spec.start = NULL;
    spec.length = 0;
    spec.threshold = PTL_MD_THRESH_INF;
    spec.options = PTL_MD_OP_PUT;
    spec.eventq = PTL_EQ_NONE;
    MUST(PtlMEAttach(ni, DOOR, any, door, 0, 0, PTL_INS_AFTER, &me));
    MUST(PtlMDAttach(me, spec, PTL_RETAIN, PTL_RETAIN, NULL));
    return me;
}

#endif
