/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Every node sends isochrons to all nodes, itself included: isoorder [ISOCHRONS [LARGEST [JOURNAL]]]. Each
 * checks what it gets, and all must get it in the same order: at the end, node 0 compares. What a node has
 * got is in JOURNAL.NODE as it gets it, for those who want to know of one that has not come to its end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iso_mbm.h"
#include "noniso.h"

#define MOST_NODES 64
#define MOST_PARTS 3

static int me, nodes, largest;
static int isochrons;
static int expected[MOST_NODES]; /* the isochron that comes next from there */
static int parts[MOST_NODES];    /* how much of it has come */
static int open_from = -1;       /* whose isochron has begun and not ended */
static long received;
static FILE* journal;
static unsigned long digest = 14695981039346656037UL;

static void fail(const char* what, int node) {
    fprintf(stderr, "node %d: %s (node %d)\n", me, what, node);
    exit(1);
}

static void open_journal(const char* name) {
    char path[256];
    snprintf(path, sizeof path, "%s.%d", name, me);
    journal = fopen(path, "w");
    if (!journal) fail("cannot write its journal", me);
}

/* To each node, an isochron has as many messages, as long as this and full of the same. */
static int parts_of(int from, int number) {
    return 1 + (from + number) % MOST_PARTS;
}

static int size_of(int from, int number, int part) {
    if (number % 10 == 9) return (from * 131 + number * 97 + part) % (largest + 1);
    return 1 + (from + number + part) % 60;
}

static int byte_of(int from, int number, int part) {
    return (from * 7 + number * 3 + part) & 0xff;
}

static void note(int value) {
    digest = (digest ^ (unsigned long)value) * 1099511628211UL;
}

static void take(void) {
    iso_mbm m;
    const unsigned char* data;
    int from, number, part, i;
    if (iso_receive(&m) != 0) return;
    if (m.tag != ISO_MBM) fail("a notice of what nobody did", me);
    from = m.info.msg.sender;
    if (from >= nodes) fail("a message from nobody", from);
    number = expected[from];
    part = parts[from];
    data = m.info.msg.data;
    if (m.info.msg.length != size_of(from, number, part))
        fail("a message of the wrong size, or out of order", from);
    for (i = 0; i < m.info.msg.length; i++)
        if (data[i] != byte_of(from, number, part)) fail("a damaged message", from);
    if (open_from != -1 && open_from != from) fail("a message within another's isochron", from);
    open_from = from;
    if (++parts[from] == parts_of(from, number)) {
        parts[from] = 0;
        expected[from]++;
        open_from = -1;
    }
    note(from);
    note(number);
    note(part);
    if (journal) fprintf(journal, "%d %d %d\n", from, number, part);
    received++;
}

/* Nodes add the parts in different orders; those to one node stay in theirs. */
static void issue(int number) {
    static unsigned char data[ISO_MAX_MESSAGE];
    int part, turn;
    for (part = 0; part < parts_of(me, number); part++) {
        int size = size_of(me, number, part);
        memset(data, byte_of(me, number, part), size);
        for (turn = 0; turn < nodes; turn++) {
            int last = part + 1 == parts_of(me, number) && turn + 1 == nodes && number % 2 == 0;
            while (iso_send((me + number + turn) % nodes, data, size, last) != 0)
                take();
        }
    }
    while (iso_end() != 0)
        take();
}

static void refusals(void) {
    char data[1];
    if (iso_send(nodes, data, 1, 1) == 0 || iso_send(-1, data, 1, 1) == 0) fail("sent to nobody", nodes);
    if (iso_end() != 0) fail("no isochron could not end", me);
    if (open_net() == SUCCESS) fail("opened twice", me);
}

/* All nodes must have done the same: node 0 hears from each outside logical time. */
static void compare(void) {
    unsigned long other;
    noniso_mbm m;
    int heard;
    if (me != 0) {
        while (send(0, &digest, sizeof digest) != SUCCESS)
            ;
        return;
    }
    for (heard = 1; heard < nodes; heard++) {
        while (receive(&m) != SUCCESS)
            ;
        memcpy(&other, m.msg.data_ptr, sizeof other);
        if (m.size != sizeof other || other != digest) fail("another order than mine", m.sender_id);
    }
}

int main(int argc, char** argv) {
    long messages = 0;
    int i, from;

    isochrons = argc > 1 ? atoi(argv[1]) : 1000;
    largest = argc > 2 ? atoi(argv[2]) : get_max_payload();
    if (open_net() != SUCCESS) fail("did not open", -1);
    me = get_my_node_number();
    nodes = get_number_of_hosts();
    if (argc > 3) open_journal(argv[3]);
    refusals();
    for (from = 0; from < nodes; from++)
        for (i = 0; i < isochrons; i++)
            messages += parts_of(from, i);
    for (i = 0; i < isochrons; i++) {
        issue(i);
        take();
    }
    while (received < messages)
        take();
    compare();
    while (try_close_net() != SUCCESS) {
        iso_mbm m;
        if (poll() == SUCCESS && iso_receive(&m) == 0) fail("got more than was sent", me);
    }
    printf("%ld messages, in the same order everywhere\n", received);
    return 0;
}
