/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Isochrons there and back: isoping [BYTES [ROUNDS]]. Every pair of nodes 2k and 2k+1 plays its own game; an
 * odd one out plays with itself. They end as they are, with nothing closed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <iso_mbm.h>

static char* ball;
static int size;

static void put(int to, int round) {
    memset(ball, round & 0xff, size);
    while (iso_send(to, ball, size, 1) != 0)
        ;
}

static void get(int from, int round) {
    iso_mbm m;
    const char* data;
    int i;
    while (iso_receive(&m) != 0)
        ;
    data = m.info.msg.data;
    if (m.tag != ISO_MBM || m.info.msg.sender != from || m.info.msg.length != size) {
        fprintf(stderr, "%d bytes from %d, expected %d from %d\n", m.info.msg.length, m.info.msg.sender, size,
                from);
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

    size = argc > 1 ? atoi(argv[1]) : get_max_payload();
    rounds = argc > 2 ? atoi(argv[2]) : 1000;
    ball = malloc(size + 1);
    open_net();
    me = get_my_node_number();
    partner = me ^ 1;
    if (partner >= get_number_of_hosts()) partner = me;
    for (i = 0; i < rounds; i++) {
        if (me <= partner) put(partner, i);
        get(partner, i);
        if (me > partner) put(partner, i);
    }
    printf("%d rounds\n", rounds);
    return 0;
}
