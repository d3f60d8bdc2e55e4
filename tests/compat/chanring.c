/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* A message goes round: every node sends on to the next what it has received, in the buffer it came in:
 * chanring [ROUNDS [BYTES]]. Routes are those of a file, to node n as number n + 1. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <myri_api0.h>

static void check(int rc, const char* what) {
    if (rc >= 0) return;
    fprintf(stderr, "%s: %d\n", what, rc);
    exit(1);
}

int main(int argc, char** argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 1000;
    int size = argc > 2 ? atoi(argv[2]) : 1000;
    int me = atoi(getenv("ISOPLANE_RANK"));
    int nodes = atoi(getenv("ISOPLANE_SIZE"));
    int next = (me + 1) % nodes + 1;
    int chan, length, round, i;
    void* buf;

    check(myri_api0_init(0, me, 0, NULL), "init");
    chan = myri_api0_get_chan(0, 0);
    check(chan, "get_chan");
    check(myri_api0_init_recv_chan(0, chan), "init_recv_chan");
    if (me == 0) {
        check(myri_api0_get_send_buffer_l(0, &buf), "get_send_buffer_l");
        for (i = 0; i < size; i++)
            ((char*)buf)[i] = i;
        while ((i = myri_api0_send_route_l(0, chan, buf, size, next)) == MYRI_API0_SEND_FULL)
            ;
        check(i, "send_route_l");
        check(myri_api0_free_send_l(0, buf), "free_send_l");
    }
    for (round = 0; round < rounds; round++) {
        while (myri_api0_recv_poll(0, chan) == 0)
            ;
        check(myri_api0_recv(0, chan, &buf, &length), "recv");
        if (length != size) {
            fprintf(stderr, "%d bytes instead of %d\n", length, size);
            exit(1);
        }
        for (i = 0; i < size; i++) {
            if (((char*)buf)[i] != (char)i) {
                fprintf(stderr, "round %d: byte %d is wrong\n", round, i);
                exit(1);
            }
        }
        if (me != 0 || round + 1 < rounds) {
            while ((i = myri_api0_send_route_l(0, chan, buf, size, next)) == MYRI_API0_SEND_FULL)
                ;
            check(i, "send_route_l");
        }
        if (round % 2)
            check(myri_api0_free_recv(0, chan, buf), "free_recv");
        else
            check(myri_api0_free_send_l(0, buf), "free_send_l");
    }
    while (myri_api0_num_pending(0) > 0)
        ;
    printf("%d rounds\n", rounds);
    return 0;
}
