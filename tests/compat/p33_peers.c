/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* What becomes of those who talk to one that is late, dies or never was: p33_peers late|dying|absent. Rank 0
 * puts to rank 1 and sees how it ends; every other rank puts to it and is served all the while. */
#include <signal.h>
#include <unistd.h>

#include "p33.h"

static char memory[64];
static ptl_handle_eq_t eq;
static ptl_handle_md_t source;

static void open_door(void) {
    ptl_handle_me_t me;
    attach(anyone, 0,
           md_of(memory, sizeof memory, PTL_MD_THRESH_INF,
                 PTL_MD_OP_PUT | PTL_MD_OP_GET | PTL_MD_MANAGE_REMOTE, PTL_EQ_NONE),
           &me);
}

static void put(ptl_process_id_t to) {
    MUST(PtlPut(source, PTL_ACK_REQ, to, PORTAL, 0, 0, 0, 0));
}

/* The next event of what is sent to `to`, and whether it says that it cannot be. */
static ptl_event_t next(int* failed) {
    ptl_event_t event;
    MUST(PtlEQWait(eq, &event));
    *failed = event.ni_fail_type != PTL_NI_OK;
    return event;
}

/* Puts until one fails; whatever ends, ends once, and the MD is free afterwards. */
static void until_it_fails(ptl_process_id_t to) {
    int failed = 0, sent = 0;
    while (!failed) {
        ptl_event_t event;
        put(to);
        do {
            event = next(&failed);
        } while (event.type != PTL_EVENT_SEND_END);
        sent++;
        usleep(1000);
    }
    MUST(PtlMDUnlink(source));
    printf("a put has failed\n");
}

int main(int argc, char** argv) {
    const char* const what = argc > 1 ? argv[1] : "late";
    ptl_process_id_t other;
    int failed, i;

    join();
    other = id_of(1);
    eq = queue_of(1024);
    MUST(PtlMDBind(ni, md_of(memory, 8, PTL_MD_THRESH_INF, PTL_MD_EVENT_START_DISABLE, eq), PTL_RETAIN,
                   &source));
    if (strcmp(what, "late") == 0) {
        if (rank == 1) usleep(1500 * 1000);
        open_door();
        meet(id_of(1 - rank), 0);
        put(id_of(1 - rank));
        EXPECT(eq, SEND_END);
        EXPECT(eq, ACK);
        meet(id_of(1 - rank), 1); /* nobody goes before both have done */
        printf("acknowledged\n");
    } else if (strcmp(what, "dying") == 0) {
        open_door();
        if (rank == 1) {
            meet(id_of(0), 0);
            for (i = 0; i < 100; i++)
                PtlProgress(ni, 0);
            kill(getpid(), SIGKILL);
        } else if (rank == 0) {
            meet(other, 0);
            until_it_fails(other);
        } else {
            /* Not its business. */
            meet(id_of(rank ^ 1), 0);
            for (i = 0; i < 200; i++) {
                put(id_of(rank ^ 1));
                EXPECT(eq, SEND_END);
                EXPECT(eq, ACK);
            }
            meet(id_of(rank ^ 1), 1);
            printf("acknowledged\n");
        }
    } else {
        /* A process of a node that is there, but not that one: dropped, and not told. */
        open_door();
        if (rank == 0) {
            meet(other, 0);
            other.pid += 50;
            put(other);
            EXPECT(eq, SEND_END);
            other.pid -= 50;
            put(other);
            EXPECT(eq, SEND_END);
            EXPECT(eq, ACK);
            /* And a node that no job has. */
            other.nid = 99;
            put(other);
            do {
                ptl_event_t event = next(&failed);
                CHECK(event.type == PTL_EVENT_SEND_END);
            } while (!failed);
            printf("nobody there\n");
        } else {
            meet(id_of(0), 0);
            printf("somebody there\n");
        }
        meet(id_of(1 - rank), 1);
    }
    PtlFini();
    return 0;
}
