/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Every node sends to every other, messages of all sizes, and checks that what it gets is whole and in order:
 * allpairs [MESSAGES]. What the interface refuses is tried too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "noniso.h"

#define MOST_NODES 64

static int me, nodes, largest;
static int expected[MOST_NODES];

static void fail(const char* what, int node) {
    fprintf(stderr, "node %d: %s (node %d)\n", me, what, node);
    exit(1);
}

/* The message of that number from one node to another is as long as this, and full of the same. */
static int size_of(int from, int to, int number) {
    return number % 10 < 7 ? (from + to + number) % 9 : (from * 131 + to * 17 + number * 97) % (largest + 1);
}

static int byte_of(int from, int to, int number, int position) {
    return (from * 7 + to * 3 + number + position) & 0xff;
}

static int take(void) {
    noniso_mbm m;
    const unsigned char* data;
    int from, number, i;
    if (receive(&m) != SUCCESS) return 0;
    from = m.sender_id;
    if (from < 0 || from >= nodes || from == me) fail("a message from nobody", from);
    number = expected[from]++;
    if (m.size != size_of(from, me, number)) fail("a message of the wrong size, or out of order", from);
    data = m.size > 4 ? (const unsigned char*)m.msg.data_ptr : (const unsigned char*)&m.msg.data;
    for (i = 0; i < m.size; i++)
        if (data[i] != byte_of(from, me, number, i)) fail("a damaged message", from);
    return 1;
}

static void refusals(void) {
    char name[32];
    if (send(me, name, 1) == SUCCESS) fail("sent to itself", me);
    if (send(nodes, name, 1) == SUCCESS) fail("sent to nobody", nodes);
    if (send(-1, name, 1) == SUCCESS) fail("sent to nobody", -1);
    if (send((me + 1) % nodes, name, largest + 1) == SUCCESS) fail("sent more than fits", me);
    if (get_node_number("no such host") != -1) fail("found a host that is not there", -1);
    sprintf(name, "node%d", me);
    if (get_node_number(name) != me) fail("did not find itself", get_node_number(name));
    if (get_SIU_state() != FALSE || get_MBM_ver() < 1) fail("told stories of its hardware", me);
}

int main(int argc, char** argv) {
    int messages = argc > 1 ? atoi(argv[1]) : 1000;
    unsigned char* data;
    int i, to, position, received = 0;

    largest = get_max_payload();
    data = malloc(largest + 1);
    if (open_net() != SUCCESS) fail("did not open", -1);
    if (open_net() == SUCCESS) fail("opened twice", -1);
    me = get_my_node_number();
    nodes = get_number_of_hosts();
    refusals();
    for (i = 0; i < messages; i++) {
        for (to = 0; to < nodes; to++) {
            int size = size_of(me, to, i);
            if (to == me) continue;
            for (position = 0; position < size; position++)
                data[position] = (unsigned char)byte_of(me, to, i, position);
            while (send(to, data, size) != SUCCESS)
                received += take();
        }
    }
    while (received < messages * (nodes - 1))
        received += take();
    while (try_close_net() != SUCCESS)
        if (take()) fail("got more than was sent", me);
    if (try_close_net() != SUCCESS) fail("opened again", me);
    if (open_net() == SUCCESS) fail("opened after its end", me);
    printf("%d messages, all whole and in order\n", received);
    free(data);
    return 0;
}
