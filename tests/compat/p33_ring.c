/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* A token goes round all ranks, and each adds one to it: p33_ring [TRIPS [forks]]. The MD that takes it is
 * the one that it is sent from, and the queue has room for two events. With `forks` each forks a child that
 * ends before every trip, which is no matter of the job. */
#include "p33.h"

#include <sys/wait.h>
#include <unistd.h>

/* Of its parent's network it has nothing. */
static void fork_one(int clears_up) {
    int status = -1, most;
    ptl_sr_value_t dropped;
    ptl_handle_ni_t its;
    const pid_t child = fork();
    if (child == 0) {
        if (clears_up) {
            CHECK(PtlNIFini(ni) == PTL_NI_INVALID);
            PtlFini();
            MUST(PtlInit(&most));
            CHECK(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, NULL, NULL, &its) == PTL_FAIL);
        }
        CHECK(PtlNIStatus(ni, PTL_SR_DROP_COUNT, &dropped) == PTL_NI_INVALID);
        exit(0);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

int main(int argc, char** argv) {
    const int trips = argc > 1 ? atoi(argv[1]) : 100;
    ptl_process_id_t next, previous;
    ptl_handle_eq_t eq;
    ptl_handle_me_t me;
    ptl_handle_md_t md;
    ptl_event_t event;
    uint64_t token = 0;
    int trip;

    join();
    next = id_of((rank + 1) % size);
    previous = id_of((rank + size - 1) % size);
    eq = queue_of(2);
    md =
        attach(previous, 7,
               md_of(&token, sizeof token, PTL_MD_THRESH_INF,
                     PTL_MD_OP_PUT | PTL_MD_MANAGE_REMOTE | PTL_MD_TRUNCATE | PTL_MD_EVENT_START_DISABLE, eq),
               &me);
    if (size > 1) {
        /* Each meets the one before it and the one behind it, in turns, so that nobody waits in a circle. */
        if (rank % 2 == 0 && rank + 1 < size) meet(next, 1);
        if (rank % 2 == 1) meet(previous, 1);
        if (rank % 2 == 1 && rank + 1 < size) meet(next, 2);
        if (rank % 2 == 0 && rank > 0) meet(previous, 2);
        if (rank == 0) meet(previous, 3);
        if (rank + 1 == size) meet(next, 3);
    }
    for (trip = 0; trip < trips; trip++) {
        if (argc > 2) fork_one(trip % 2);
        if (rank == 0) {
            MUST(PtlPut(md, PTL_NO_ACK_REQ, next, PORTAL, 0, 7, 0, 0));
            EXPECT(eq, SEND_END);
        }
        event = EXPECT(eq, PUT_END);
        CHECK(same(event.initiator, previous) && event.mlength == sizeof token);
        CHECK(token == (uint64_t)(trip * size + (rank > 0 ? rank - 1 : size - 1)));
        token++;
        if (rank > 0) {
            MUST(PtlPut(md, PTL_NO_ACK_REQ, next, PORTAL, 0, 7, 0, 0));
            EXPECT(eq, SEND_END);
        }
    }
    CHECK(PtlEQGet(eq, &event) == PTL_EQ_EMPTY);
    MUST(PtlMDUnlink(md));
    MUST(PtlMEUnlink(me));
    MUST(PtlEQFree(eq));
    printf("%d trips\n", trips);
    return 0;
}
