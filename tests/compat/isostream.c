/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* As many isochrons as fit through: isostream [BYTES [ISOCHRONS [ROUNDS]]]. All nodes send to node 0, with a
 * barrier outside logical time before each round. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <iso_mbm.h>
#include <noniso.h>

#define MOST_NODES 64

static int numbers[MOST_NODES]; /* the isochron that comes next from there */

static void take(int size) {
    iso_mbm m;
    int from, number;
    while (iso_receive(&m) != 0)
        ;
    from = m.info.msg.sender;
    memcpy(&number, m.info.msg.data, sizeof number);
    if (m.tag != ISO_MBM || m.info.msg.length != size || number != numbers[from]) {
        fprintf(stderr, "number %d of %d bytes from node %d, expected number %d of %d\n", number,
                m.info.msg.length, from, numbers[from], size);
        exit(1);
    }
    numbers[from]++;
}

static void put(char* data, int size, int number) {
    memcpy(data, &number, sizeof number);
    while (iso_send(0, data, size, 1) != 0)
        ;
}

int main(int argc, char** argv) {
    int size = argc > 1 ? atoi(argv[1]) : get_max_payload();
    int isochrons = argc > 2 ? atoi(argv[2]) : 1000;
    int rounds = argc > 3 ? atoi(argv[3]) : 5;
    char* data;
    int round, i, others;

    if (size < (int)sizeof(int)) size = sizeof(int);
    data = calloc(1, size);
    open_net();
    others = get_number_of_hosts() - 1;
    for (round = 0; round < rounds; round++) {
        initiate_barrier();
        while (barrier_completed() != SUCCESS)
            ;
        if (get_my_node_number() == 0) {
            for (i = 0; i < others * isochrons; i++)
                take(size);
        } else {
            for (i = 0; i < isochrons; i++)
                put(data, size, round * isochrons + i);
        }
    }
    while (try_close_net() != SUCCESS)
        poll();
    printf("%d rounds of %d isochrons\n", rounds, isochrons);
    return 0;
}
