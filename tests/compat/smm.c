/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Shared memory of the Ironman layer: smm [ROUNDS]. All nodes move one unit after the other between two
 * variables, by SCHED and ASSIGN, and the last variable counts who is done; then the sum must still be right.
 */
#include <stdio.h>
#include <stdlib.h>

#include <iso_smm.h>

#define HERE 100
#define THERE 1100
#define FINISHED 2100

static void fail(const char* what, long number) {
    fprintf(stderr, "node %d: %s (%ld)\n", get_my_node_number(), what, number);
    exit(1);
}

static void expect(const char* what, int got, int wanted) {
    if (got != wanted) fail(what, got);
}

static void move(int amount) {
    iso_var32 here, there;
    expect("read", iso_read(HERE, &here, FALSE), 0);
    expect("read", iso_read(THERE, &there, FALSE), 0);
    expect("sched", iso_sched(HERE, FALSE), 0);
    expect("sched", iso_sched(THERE, FALSE), 0);
    expect("second sched", iso_sched(THERE, FALSE), ISO_BAD_SCHED);
    expect("end", iso_end(), 0);
    iso_retrieve(&here);
    expect("assign", iso_assign(HERE, here.value - amount, FALSE), 0);
    expect("assign", iso_assign(THERE, iso_retrieve(&there) + amount, TRUE), 0);
}

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 50;
    struct isovar finished, here, there;
    int i;
    expect("open_net", open_net(), 0);
    expect("write beyond the map", iso_write(99 * 1024, 1, FALSE), ISO_BAD_ADDRESS);
    expect("assign without sched", iso_assign(HERE, 1, FALSE), ISO_BAD_SCHED);
    expect("an empty isochron", iso_end(), 0);
    for (i = 0; i < rounds; i++) {
        move(1);
        expect("read", iso_read(HERE, &here, FALSE), 0);
        expect("read", iso_read(THERE, &there, TRUE), 0);
        if (iso_retrieve(&here) + iso_retrieve(&there) != 0) fail("the sum is wrong", there.value);
    }
    iso_read(FINISHED, &finished, FALSE);
    iso_sched(FINISHED, TRUE);
    iso_assign(FINISHED, iso_retrieve(&finished) + 1, TRUE);
    do {
        iso_read(FINISHED, &finished, TRUE);
    } while (iso_retrieve(&finished) < get_number_of_hosts());
    iso_read(THERE, &there, TRUE);
    printf("%ld units moved\n", iso_retrieve(&there));
    while (try_close_net() != 0) {
    }
    return 0;
}
