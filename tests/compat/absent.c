/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* A node that computes, and so calls nothing, while another reads and writes its variables: absent FILE. Node
 * 0 has the only copy, and does not come back before the last node is done with it, and has made that file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <iso.h>

#define VARIABLE 10
#define TIMES 100

static long add_one(void) {
    struct iso_var before;
    iso_start();
    iso_read32(VARIABLE, &before);
    iso_sched(VARIABLE);
    iso_end();
    iso_start();
    iso_assign(VARIABLE, read_iso_var(&before) + 1);
    iso_end();
    return read_iso_var(&before);
}

int main(int argc, char** argv) {
    FILE* done;
    int i;
    if (argc < 2) return 2;
    iso_init();
    if (NODEID == NUMNODES - 1) {
        for (i = 0; i < TIMES; i++)
            if (add_one() != i) exit(1);
        done = fopen(argv[1], "w");
        if (done == NULL || fclose(done) != 0) exit(1);
    }
    while (access(argv[1], F_OK) != 0)
        usleep(1000);
    printf("%d times while node 0 was absent\n", TIMES);
    iso_deinit();
    return 0;
}
