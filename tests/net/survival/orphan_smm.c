/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* The same of the Ironman layer. */
#include <stdio.h>

#include <iso_smm.h>

#define SCHEDULED 10
#define READY 20

enum { VICTIM = 1 };

static iso_var32 value;

int main(void) {
    if (open_net() != 0) return 2;
    if (get_my_node_number() == VICTIM) {
        iso_sched(SCHEDULED, FALSE);
        iso_write(READY, 1, TRUE);
        for (;;)
            iso_read(READY, &value, TRUE), iso_retrieve(&value);
    }
    do {
        iso_read(READY, &value, TRUE);
    } while (iso_retrieve(&value) == 0);
    iso_read(SCHEDULED, &value, TRUE);
    printf("waits\n");
    fflush(stdout);
    printf("it has %ld\n", iso_retrieve(&value));
    while (try_close_net() != 0) {
    }
    return 0;
}
