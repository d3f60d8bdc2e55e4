/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Node 0 tells all others to end, which they do where they hear it: within the handler. */
#include <stdio.h>
#include <stdlib.h>

#include <am.h>

static void quit(int source) {
    printf("told by %d\n", source);
    exit(0);
}

int main(void) {
    int i;
    am_enable();
    for (i = 1; am_my_proc() == 0 && i < am_procs(); i++)
        am_request_0(i, quit);
    am_wait_for(am_my_proc() == 0);
    am_disable();
    printf("all have ended\n");
    return 0;
}
