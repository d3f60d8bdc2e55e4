/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Node 0 ends when some messages are there, having received one; the other has all taken from it. */
#include <stdio.h>
#include <stdlib.h>

#include <myri_api0.h>

enum { CHANNEL = 3, SOME = 5, ALL = 500 };

int main(void) {
    int rank = atoi(getenv("ISOPLANE_RANK")), length, sent;
    void* buffer;
    myri_api0_init(0, rank, 0, NULL);
    if (rank == 0) {
        myri_api0_get_chan(0, CHANNEL);
        while (myri_api0_recv_poll(0, CHANNEL) < SOME)
            ;
        myri_api0_recv(0, CHANNEL, &buffer, &length);
        printf("%d bytes\n", length);
        return 0;
    }
    for (sent = 0; sent < ALL; sent++) {
        while (myri_api0_get_send_buffer(0, &buffer) != MYRI_API0_OK)
            ;
        while (myri_api0_send_route(0, CHANNEL, buffer, 1000, 0) == MYRI_API0_SEND_FULL)
            ;
        myri_api0_free_send(0, buffer);
    }
    printf("all sent\n");
    return 0;
}
