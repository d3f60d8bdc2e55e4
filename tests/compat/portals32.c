/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* A client and a server of Portals 3.2, in one process that puts to itself. Fields that such programs do not
 * set have what happens to be there. */
#include <portals/p30.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(what) \
    if (!(what)) fail(#what, __LINE__)

static void fail(const char* what, int line) {
    fprintf(stderr, "line %d: not so: %s\n", line, what);
    exit(1);
}

static ptl_md_t md_of(void* start, ptl_size_t length, int threshold, unsigned options, ptl_handle_eq_t eq) {
    ptl_md_t md;
    memset(&md, 0xee, sizeof md);
    md.start = start;
    md.length = length;
    md.threshold = threshold;
    md.options = options;
    md.eventq = eq;
    return md;
}

static void expect(ptl_handle_eq_t eq, ptl_event_kind_t kind, int line) {
    ptl_event_t event;
    if (PtlEQWait(eq, &event) != PTL_OK || event.type != kind) fail("the event that was expected", line);
}

int main(void) {
    char from[100] = "message", to[100] = "";
    ptl_ni_limits_t desired, actual;
    ptl_process_id_t any, self;
    ptl_handle_ni_t ni;
    ptl_handle_eq_t eq, client_eq;
    ptl_handle_me_t me, second;
    ptl_handle_md_t md, source;
    ptl_md_t spec;
    ptl_event_t event;
    int i;

    memset(&desired, 0xee, sizeof desired);
    desired.max_match_entries = desired.max_mem_descriptors = desired.max_event_queues = 100;
    desired.max_atable_index = 0;
    desired.max_ptable_index = 10;
    CHECK(PtlInit(NULL) == 0);
    CHECK(PtlNIInit(PTL_IFACE_INAL, 5, &desired, &actual, &ni) == PTL_OK);
    CHECK(actual.max_ptable_index == 10 && actual.max_md_iovecs > 0 && actual.max_getput_md > 0);
    CHECK(PtlGetId(ni, &self) == PTL_OK);
    CHECK(self.nid == 0 && self.pid == 5);
    any.nid = PTL_NID_ANY;
    any.pid = PTL_PID_ANY;
    CHECK(PtlACEntry(ni, 0, any, PTL_UID_ANY, PTL_PT_INDEX_ANY) == PTL_OK);
    CHECK(PtlACEntry(ni, 1, any, PTL_UID_ANY, PTL_PT_INDEX_ANY) == PTL_AC_INV_INDEX);

    /* The server: an MD for each message, on an entry that stays. */
    CHECK(PtlEQAlloc(ni, 10, NULL, &eq) == PTL_OK);
    CHECK(PtlEQAlloc(ni, 10, &client_eq) == PTL_OK);
    CHECK(PtlMEAttach(ni, 5, any, 0, ~0, 0, PTL_INS_AFTER, &me) == PTL_OK);
    for (i = 0; i < 3; i++) {
        CHECK(PtlMDAttach(me, md_of(to, sizeof to, 1, PTL_MD_OP_PUT | PTL_MD_TRUNCATE, eq), PTL_UNLINK,
                          PTL_RETAIN, &md) == PTL_OK);
        CHECK(PtlMDBind(ni, md_of(from, sizeof from, 1, 0, client_eq), &source) == PTL_OK);
        CHECK(PtlPut(source, PTL_NOACK_REQ, self, 5, 0, 17, 0, 0) == PTL_OK);
        expect(client_eq, PTL_EVENT_SEND_START, __LINE__);
        expect(client_eq, PTL_EVENT_SEND_END, __LINE__);
        expect(client_eq, PTL_EVENT_UNLINK, __LINE__);
        CHECK(PtlMDUnlink(source) == PTL_INV_MD);
        CHECK(PtlEQGet(eq, &event) == PTL_OK);
        CHECK(event.type == PTL_EVENT_PUT_START && event.portal == 5 && event.mem_desc.start == to);
        expect(eq, PTL_EVENT_PUT_END, __LINE__);
        expect(eq, PTL_EVENT_UNLINK, __LINE__);
    }
    CHECK(strcmp(to, "message") == 0);

    /* One that has no room for it goes, and the next has it. */
    CHECK(PtlMEInsert(me, any, 0, ~0, PTL_INS_AFTER, &second) == PTL_OK);
    CHECK(PtlMDAttach(me, md_of(to, 3, 1, PTL_MD_OP_PUT, eq), PTL_UNLINK, PTL_UNLINK, NULL) == PTL_OK);
    CHECK(PtlMDAttach(second, md_of(to, sizeof to, 1, PTL_MD_OP_PUT, eq), PTL_RETAIN, &md) == PTL_OK);
    CHECK(PtlMDBind(ni, md_of(from, 8, 1, 0, PTL_EQ_NONE), PTL_RETAIN, &source) == PTL_OK);
    CHECK(PtlPut(source, PTL_NOACK_REQ, self, 5, 0, 17, 0, 0) == PTL_OK);
    expect(eq, PTL_EVENT_UNLINK, __LINE__);
    expect(eq, PTL_EVENT_PUT_START, __LINE__);
    expect(eq, PTL_EVENT_PUT_END, __LINE__);

    /* max_offset, for who asks for it: a message that begins behind it is the last. */
    spec = md_of(to, 10, PTL_MD_THRESH_INF, PTL_MD_OP_PUT | PTL_MD_MAX_OFFSET, eq);
    spec.max_offset = 4;
    CHECK(PtlMDUpdate(md, NULL, &spec, eq) == PTL_OK);
    spec = md_of(from, 4, PTL_MD_THRESH_INF, 0, PTL_EQ_NONE);
    CHECK(PtlMDUpdate(source, NULL, &spec, PTL_EQ_NONE) == PTL_OK);
    for (i = 0; i < 3; i++)
        CHECK(PtlPut(source, PTL_NOACK_REQ, self, 5, 0, 17, 0, 0) == PTL_OK);
    for (i = 0; i < 2; i++) {
        expect(eq, PTL_EVENT_PUT_START, __LINE__);
        expect(eq, PTL_EVENT_PUT_END, __LINE__);
    }
    CHECK(PtlEQGet(eq, &event) == PTL_EQ_EMPTY);

    /* What is for nobody any more fails. */
    self.pid = 6;
    CHECK(PtlNIInit(PTL_IFACE_LOOPBACK(1), 6, NULL, NULL, &me) == PTL_OK);
    CHECK(PtlNIFini(me) == PTL_OK);
    CHECK(PtlMDBind(ni, md_of(from, 8, 1, 0, eq), &source) == PTL_OK);
    CHECK(PtlPut(source, PTL_ACK_REQ, self, 5, 0, 17, 0, 0) == PTL_OK);
    expect(eq, PTL_EVENT_SEND_START, __LINE__);
    expect(eq, PTL_EVENT_SEND_FAIL, __LINE__);
    expect(eq, PTL_EVENT_UNLINK, __LINE__);

    CHECK(PtlNIFini(ni) == PTL_OK);
    PtlFini();
    return 0;
}
