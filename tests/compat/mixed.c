/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Messages in logical time and outside it, by one program: mixed [MESSAGES]. Each node sends to the next as
 * many of both kinds, which come in the order of their kind. It ends without closing, as programs do. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <noniso.h>

/* Behind the other as well as before it. */
#include <iso_mbm.h>

static int me, nodes;
static int in_time, outside;

static void fail(const char* what, int number) {
    fprintf(stderr, "node %d: %s (%d)\n", me, what, number);
    exit(1);
}

static void take(void) {
    iso_mbm ordered;
    noniso_mbm plain;
    int number;
    if (iso_receive(&ordered) == 0) {
        if (ordered.tag != ISO_MBM || ordered.info.msg.length != sizeof(int))
            fail("not what was sent", ordered.tag);
        memcpy(&number, ordered.info.msg.data, sizeof number);
        if (number != in_time) fail("out of order in logical time", in_time);
        in_time++;
    }
    if (receive(&plain) == SUCCESS) {
        if (plain.size != sizeof(int) || plain.msg.data != outside)
            fail("out of order outside logical time", outside);
        outside++;
    }
}

int main(int argc, char** argv) {
    int messages = argc > 1 ? atoi(argv[1]) : 1000;
    int next, i;

    if (get_max_payload() <= 0) fail("no room in a message", get_max_payload());
    if (open_net() != SUCCESS) fail("did not open", -1);
    me = get_my_node_number();
    nodes = get_number_of_hosts();
    next = (me + 1) % nodes;
    for (i = 0; i < messages; i++) {
        while (iso_send(next, &i, sizeof i, TRUE) != 0)
            take();
        while (send(next, &i, sizeof i) != SUCCESS)
            take();
    }
    while (in_time < messages || outside < messages)
        take();
    printf("%d messages in logical time, %d outside\n", in_time, outside);
    return 0;
}
