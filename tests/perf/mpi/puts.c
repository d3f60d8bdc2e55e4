/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Half of a round trip of 8 bytes that two processes put to each other, as a program of Portals does it:
 * the median, as a line "half_round_trip_8 VALUE us" of rank 0. */
#include <p3nal_isoplane.h>
#include <portals3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PORTAL = 4, PID = 7, TIMES = 27000, GREETING = 1, BALL = 2 };

static char mine[8], theirs[8];
static ptl_handle_eq_t queue;
static ptl_handle_md_t source;
static ptl_process_id_t other = {0, PID};

static void must(int status, const char* what) {
    if (status == PTL_OK) return;
    fprintf(stderr, "%s: %d\n", what, status);
    exit(1);
}

static void put(ptl_hdr_data_t what) {
    must(PtlPut(source, PTL_NO_ACK_REQ, other, PORTAL, 0, 0, 0, what), "PtlPut");
}

static void await(ptl_hdr_data_t what) {
    ptl_event_t event;
    int status;
    do
        status = PtlEQGet(queue, &event);
    while (status == PTL_EQ_EMPTY || (status == PTL_OK && event.hdr_data != what));
    must(status, "PtlEQGet");
}

static double now(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return at.tv_sec * 1e6 + at.tv_nsec / 1e3;
}

static int ascending(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

/* Until the other is there, what is put is dropped. */
static void meet(void) {
    ptl_event_t event;
    do
        put(GREETING);
    while (PtlEQPoll(&queue, 1, 100, &event, &(int){0}) != PTL_OK);
    put(GREETING);
}

int main(void) {
    const ptl_process_id_t anyone = {PTL_NID_ANY, PTL_PID_ANY};
    const ptl_md_t in = {.start = theirs,
                         .length = sizeof theirs,
                         .threshold = PTL_MD_THRESH_INF,
                         .options = PTL_MD_OP_PUT | PTL_MD_MANAGE_REMOTE | PTL_MD_EVENT_START_DISABLE};
    const ptl_md_t out = {.start = mine,
                          .length = sizeof mine,
                          .threshold = PTL_MD_THRESH_INF,
                          .options = PTL_MD_EVENT_START_DISABLE | PTL_MD_EVENT_END_DISABLE,
                          .eq_handle = PTL_EQ_NONE};
    int most;
    ptl_handle_ni_t ni;
    ptl_process_id_t self;
    ptl_handle_me_t entry;
    ptl_handle_md_t place;
    must(PtlInit(&most), "PtlInit");
    must(PtlNIInit(PTL_IFACE_DEFAULT, PID, NULL, NULL, &ni), "PtlNIInit");
    must(PtlGetId(ni, &self), "PtlGetId");
    must(PtlACEntry(ni, 0, anyone, PTL_UID_ANY, PTL_JID_ANY, PTL_PT_INDEX_ANY), "PtlACEntry");
    must(PtlEQAlloc(ni, 64, PTL_EQ_HANDLER_NONE, &queue), "PtlEQAlloc");
    must(PtlMEAttach(ni, PORTAL, anyone, 0, 0, PTL_RETAIN, PTL_INS_AFTER, &entry), "PtlMEAttach");
    ptl_md_t received = in;
    received.eq_handle = queue;
    must(PtlMDAttach(entry, received, PTL_RETAIN, &place), "PtlMDAttach");
    must(PtlMDBind(ni, out, PTL_RETAIN, &source), "PtlMDBind");
    other.nid = 1 - self.nid;
    meet();

    static double all[TIMES];
    double before = now();
    for (int i = 0; i < TIMES; i++) {
        if (self.nid == 0) put(BALL);
        await(BALL);
        if (self.nid == 1) put(BALL);
        const double after = now();
        all[i] = after - before;
        before = after;
    }
    qsort(all, TIMES, sizeof *all, ascending);
    if (self.nid == 0) printf("half_round_trip_8 %.3f us\n", all[TIMES / 2] / 2);
    PtlFini();
    return 0;
}
