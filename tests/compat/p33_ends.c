/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Ways to end: p33_ends waits|registers|interrupts|handles|again. Two ranks meet before. */
#include <signal.h>
#include <unistd.h>

#include "p33.h"

#include <pthread.h>

static ptl_handle_eq_t eq;
static pthread_t first;

static void* wait_for_nothing(void* unused) {
    ptl_event_t event;
    (void)unused;
    MUST(PtlEQWait(eq, &event)); /* ends the process otherwise than well if it ever comes back */
    fail("nothing was to come", __LINE__);
    return NULL;
}

static void* look_for_nothing(void* unused) {
    ptl_event_t event;
    int which;
    (void)unused;
    for (;;) {
        CHECK(PtlEQGet(eq, &event) == PTL_EQ_EMPTY);
        CHECK(PtlEQPoll(&eq, 1, 1, &event, &which) == PTL_EQ_EMPTY);
    }
    return NULL;
}

static void* interrupt(void* unused) {
    (void)unused;
    usleep(20 * 1000);
    pthread_kill(first, SIGUSR1);
    return NULL;
}

static void clear_up(void) {
    MUST(PtlNIFini(ni));
    PtlFini();
}

static void end(int number) {
    (void)number;
    clear_up();
    exit(0);
}

static void end_with(ptl_event_t* event) {
    CHECK(event->type == PTL_EVENT_SEND_END);
    exit(0);
}

static void start(void* (*run)(void*)) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, run, NULL) == 0);
}

int main(int argc, char** argv) {
    const char* const what = argc > 1 ? argv[1] : "waits";
    ptl_handle_md_t md;
    int interfaces;

    if (strcmp(what, "registers") == 0) atexit(clear_up); /* runs after what the library registers */
    join();
    eq = queue_of(16);
    meet(id_of(1 - rank), 0);
    printf("met\n");
    fflush(stdout);
    if (strcmp(what, "waits") == 0) {
        start(wait_for_nothing);
        start(wait_for_nothing);
        start(look_for_nothing);
        usleep(20 * 1000);
    } else if (strcmp(what, "interrupts") == 0) {
        /* It puts to itself what nobody wants, and asks until it was dropped. What it is interrupted in holds
         * locks, but none of malloc()'s, in which no program may end. */
        ptl_sr_value_t dropped, before;
        MUST(PtlMDBind(ni, md_of(NULL, 0, PTL_MD_THRESH_INF, 0, PTL_EQ_NONE), PTL_RETAIN, &md));
        first = pthread_self();
        signal(SIGUSR1, end);
        start(interrupt);
        for (MUST(PtlNIStatus(ni, PTL_SR_DROP_COUNT, &before));; before = dropped) {
            MUST(PtlPut(md, PTL_NO_ACK_REQ, self, GATE, 0, 1, 0, 0));
            do
                MUST(PtlNIStatus(ni, PTL_SR_DROP_COUNT, &dropped));
            while (dropped == before);
        }
    } else if (strcmp(what, "handles") == 0) {
        ptl_handle_eq_t told;
        MUST(PtlEQAlloc(ni, 4, end_with, &told));
        MUST(PtlMDBind(ni, md_of(NULL, 0, 1, PTL_MD_EVENT_START_DISABLE, told), PTL_RETAIN, &md));
        MUST(PtlPut(md, PTL_NO_ACK_REQ, id_of(1 - rank), GATE, 0, 1, 0, 0));
        EXPECT(told, SEND_END);
        fail("the handler was to end it", __LINE__);
    } else if (strcmp(what, "again") == 0) {
        PtlFini();
        MUST(PtlInit(&interfaces));
        CHECK(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, NULL, NULL, &ni) == PTL_FAIL);
        MUST(PtlNIInit(PTL_IFACE_LOOPBACK0, PTL_PID_ANY, NULL, NULL, &ni));
        PtlFini();
    }
    return 0;
}
