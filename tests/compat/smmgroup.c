/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Signals and barriers between accesses to shared memory, which node 0 alone has a copy of: smmgroup. It
 * leaves the last signals where they are; the others read what it holds behind them. */
#include <stdio.h>
#include <stdlib.h>

#include <iso_smm.h>
#include <noniso.h>

#define AT 100
#define SIGNAL 1

static void fail(const char* what, long number) {
    fprintf(stderr, "node %d: %s (%ld)\n", get_my_node_number(), what, number);
    exit(1);
}

static void meet(void) {
    while (initiate_barrier() != SUCCESS)
        poll();
    while (barrier_completed() != SUCCESS)
        poll();
}

/* Neither is for the middle of an isochron. */
static void refusals(void) {
    if (iso_write(AT, 7, FALSE) != 0) fail("could not write", AT);
    if (iso_barrier(STRONG, 0) == 0) fail("entered a barrier within an isochron", 0);
    if (iso_send_signal(SIGNAL) == 0) fail("sent a signal within an isochron", SIGNAL);
    if (iso_end() != 0) fail("could not end the isochron", AT);
}

/* It is complete for this node when it has been told, and not before. */
static void barrier(void) {
    iso_var32 value;
    iso_mbm m;
    if (iso_barrier(STRONG, 0) != 0) fail("could not enter the barrier", 0);
    do {
        iso_read(AT, &value, TRUE);
        if (iso_retrieve(&value) != 7) fail("read something else", value.value);
        if (iso_barrier(STRONG, 0) == 0) fail("entered a barrier again", 0);
    } while (iso_receive(&m) != 0);
    if (m.tag != BS_NOTICE || m.info.bits != ISO_BARRIER_BIT(0)) fail("was told of something else", m.tag);
}

int main(void) {
    iso_var32 value;
    if (open_net() != 0) fail("did not open", 0);
    if (iso_register_signal(SIGNAL) != 0 || iso_register_barrier(STRONG, 0) != 0) fail("did not register", 0);
    meet();
    refusals();
    meet(); /* all have written */
    barrier();
    if (get_my_node_number() != 0) {
        iso_mbm m;
        if (iso_send_signal(SIGNAL) != 0) fail("did not send the signal", SIGNAL);
        while (iso_receive(&m) != 0)
            poll();
        /* Now it is there for node 0 as well, and this is behind it. */
        iso_read(AT, &value, TRUE);
        if (iso_retrieve(&value) != 7) fail("read something else", value.value);
    }
    meet(); /* which is all that node 0 does meanwhile */
    printf("what node 0 holds was there behind the signals\n");
    while (try_close_net() != 0) {
    }
    return 0;
}
