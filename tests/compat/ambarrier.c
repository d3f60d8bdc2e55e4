/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* A program with a barrier of its own, by the name that am.h has one by: ambarrier [TIMES]. */
#include <stdio.h>
#include <stdlib.h>

#include <am.h>

static volatile int come, gone;
static int entered;

static void arrive(int node) {
    (void)node;
    come++;
}

static void go(int node) {
    (void)node;
    gone++;
}

/* Node 0 counts who has come. */
void barrier(void) {
    entered++;
    am_request_0(0, arrive);
    if (am_my_proc() == 0) {
        int node;
        am_wait_for(come == entered * am_procs());
        for (node = 0; node < am_procs(); node++)
            am_request_0(node, go);
    }
    am_wait_for(gone == entered);
}

int main(int argc, char** argv) {
    const int times = argc > 1 ? atoi(argv[1]) : 1000;
    int i;
    am_enable(argc, argv);
    for (i = 0; i < times; i++) {
        barrier();
        am_barrier();
    }
    printf("%d barriers of its own\n", entered);
    am_disable();
    return 0;
}
