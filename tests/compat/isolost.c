/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Isochrons whose last message is for a node that has died, in a job that survives it: isolost [ISOCHRONS].
 * Node 0 sends each to node 1 and to the last one, which dies. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include <iso_mbm.h>

int main(int argc, char** argv) {
    int isochrons = argc > 1 ? atoi(argv[1]) : 1000;
    int last, received = 0;
    int i;
    iso_mbm m;

    open_net();
    last = get_number_of_hosts() - 1;
    if (get_my_node_number() == last) {
        while (iso_receive(&m) != SUCCESS || m.tag != ISO_MBM)
            ;
        raise(SIGKILL);
    }
    if (get_my_node_number() == 0) {
        for (i = 0; i < isochrons; i++) {
            while (iso_send(1, &i, sizeof i, 0) != SUCCESS)
                ;
            while (iso_send(last, &i, sizeof i, 1) != SUCCESS)
                ;
        }
        while (iso_receive(&m) != SUCCESS || m.tag != ISO_MBM)
            ;
        printf("%d isochrons sent\n", isochrons);
    } else {
        for (; received < isochrons; received++) {
            while (iso_receive(&m) != SUCCESS || m.tag != ISO_MBM)
                ;
            if (*(int*)m.info.msg.data != received) {
                fprintf(stderr, "message %d came in the place of %d\n", *(int*)m.info.msg.data, received);
                return 1;
            }
        }
        while (iso_send(0, &received, sizeof received, 1) != SUCCESS)
            ;
        printf("%d messages, none missing\n", received);
    }
    while (try_close_net() != SUCCESS)
        ;
    return 0;
}
