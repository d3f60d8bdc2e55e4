/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* How long a message takes there and back: pingpong [BYTES [ROUNDS]]. Every pair of nodes 2k and 2k+1 plays
 * its own game; an odd one out watches. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include <noniso.h>

static double now_us(void) {
    struct timeval t;
    gettimeofday(&t, NULL);
    return t.tv_sec * 1e6 + t.tv_usec;
}

static char* ball;
static int size;

static void put(int to, int round) {
    memset(ball, round & 0xff, size);
    while (send(to, ball, size) != SUCCESS)
        ;
}

static void get(int from, int round) {
    noniso_mbm m;
    const char* data;
    int i;
    while (receive(&m) != SUCCESS)
        ;
    data = m.size > 4 ? (const char*)m.msg.data_ptr : (const char*)&m.msg.data;
    if (m.sender_id != from || m.size != size) {
        fprintf(stderr, "%d bytes from %d, expected %d from %d\n", m.size, m.sender_id, size, from);
        exit(1);
    }
    for (i = 0; i < size; i++) {
        if (data[i] != (char)(round & 0xff)) {
            fprintf(stderr, "round %d: byte %d is wrong\n", round, i);
            exit(1);
        }
    }
}

int main(int argc, char** argv) {
    int rounds, me, partner, i;
    double start, took;

    size = argc > 1 ? atoi(argv[1]) : get_max_payload();
    rounds = argc > 2 ? atoi(argv[2]) : 1000;
    ball = malloc(size + 1);
    open_net();
    me = get_my_node_number();
    partner = me ^ 1;
    if (partner < get_number_of_hosts()) {
        start = now_us();
        for (i = 0; i < rounds; i++) {
            if (me < partner) {
                put(partner, i);
                get(partner, i);
            } else {
                get(partner, i);
                put(partner, i);
            }
        }
        took = now_us() - start;
        printf("%d bytes: %.2f us there and back\n", size, took / rounds);
    }
    while (try_close_net() != SUCCESS)
        poll();
    free(ball);
    return 0;
}
