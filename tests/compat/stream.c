/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* How much fits through: stream [BYTES [MESSAGES [ROUNDS]]]. All nodes send to node 0, with a barrier before
 * each round. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

#include <noniso.h>

static double now_us(void) {
    struct timeval t;
    gettimeofday(&t, NULL);
    return t.tv_sec * 1e6 + t.tv_usec;
}

static void barrier(void) {
    if (initiate_barrier() != SUCCESS) {
        fprintf(stderr, "the last barrier is still in progress\n");
        exit(1);
    }
    while (barrier_completed() != SUCCESS)
        ;
}

int main(int argc, char** argv) {
    int size = argc > 1 ? atoi(argv[1]) : get_max_payload();
    int messages = argc > 2 ? atoi(argv[2]) : 1000;
    int rounds = argc > 3 ? atoi(argv[3]) : 5;
    char* data = calloc(1, size + 1);
    noniso_mbm m;
    int round, i;

    open_net();
    if (barrier_completed() == SUCCESS) {
        fprintf(stderr, "a barrier is complete that nobody entered\n");
        exit(1);
    }
    for (round = 0; round < rounds; round++) {
        double start, took;
        barrier();
        start = now_us();
        if (get_my_node_number() == 0) {
            double bytes = 0;
            int expected = messages * (get_number_of_hosts() - 1);
            for (i = 0; i < expected;) {
                if (receive(&m) != SUCCESS) continue;
                bytes += m.size;
                i++;
            }
            took = now_us() - start;
            printf("round %d: %.0f bytes, %.1f Mbit/s\n", round, bytes, bytes * 8 / took);
        } else {
            for (i = 0; i < messages; i++) {
                while (send(0, data, size) != SUCCESS)
                    ;
            }
        }
    }
    while (try_close_net() != SUCCESS)
        poll();
    free(data);
    return 0;
}
