/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* A program of isotach version 1 of which node 1 dies: it has scheduled a variable, and never assigns it. The
 * others wait for its value, which ends them with a sentence. */
#include <stdio.h>

#include <iso.h>

#define SCHEDULED 10
#define READY 20

enum { VICTIM = 1 };

static struct iso_var32 value;

static void ask(shmem_addr_t at) {
    iso_start();
    iso_read32(at, &value);
    iso_end();
}

int main(void) {
    iso_init();
    if (NODEID == VICTIM) {
        iso_start();
        iso_sched(SCHEDULED);
        iso_write32(READY, 1);
        iso_end();
        for (;;)
            iso_poll();
    }
    do {
        ask(READY);
    } while (read_iso_var32(&value) == 0);
    ask(SCHEDULED);
    printf("waits\n");
    fflush(stdout);
    printf("it has %ld\n", read_iso_var32(&value));
    iso_deinit();
    return 0;
}
