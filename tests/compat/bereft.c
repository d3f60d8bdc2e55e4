/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* A node that dies, or exits, while the others wait for it, and look at nothing but what they wait for:
 * bereft completed | initiate [exits]. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <noniso.h>

int main(int argc, char** argv) {
    noniso_mbm m;
    if (argc < 2) return 2;
    open_net();
    /* All have met. */
    initiate_barrier();
    while (barrier_completed() != SUCCESS)
        ;
    if (get_my_node_number() == get_number_of_hosts() - 1) {
        /* What completes it for the others goes first. */
        while (receive(&m) != SUCCESS)
            ;
        if (argc > 2) exit(1);
        raise(SIGKILL);
    }
    while (send(get_number_of_hosts() - 1, argv[1], 1) != SUCCESS)
        ;
    initiate_barrier();
    if (strcmp(argv[1], "initiate") == 0)
        while (initiate_barrier() != SUCCESS)
            ;
    while (barrier_completed() != SUCCESS)
        ;
    printf("a barrier without the dead\n");
    return 0;
}
