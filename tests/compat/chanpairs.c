/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Every node sends messages of all sizes to every other, and all must come whole and in order, or with
 * "lossy" may be missing: chanpairs [MESSAGES [lossy]]. Whom it got a message from stands in it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <myri_api0.h>

#define MOST_NODES 64
#define HEAD 8

static int me, nodes, chan;
static int routes[MOST_NODES], sent[MOST_NODES], received[MOST_NODES], last[MOST_NODES];

static void check(int rc, const char* what) {
    if (rc >= 0) return;
    fprintf(stderr, "%s: %d\n", what, rc);
    exit(1);
}

static int size_of(int number) {
    return HEAD + (number * 37) % (MYRI_API0_MAX_LEN - HEAD + 1);
}

static void put(unsigned char* buf, int number) {
    int i, size = size_of(number);
    buf[0] = me;
    memcpy(buf + 4, &number, sizeof number);
    for (i = HEAD; i < size; i++)
        buf[i] = number + i + me;
}

static int try_to_send(int to) {
    void* buf;
    int rc = myri_api0_get_send_buffer(0, &buf);
    if (rc == MYRI_API0_NO_BUFFERS) return 0;
    check(rc, "get_send_buffer");
    put(buf, sent[to]);
    rc = myri_api0_send_route(0, chan, buf, size_of(sent[to]), routes[to]);
    check(myri_api0_free_send(0, buf), "free_send");
    if (rc == MYRI_API0_SEND_FULL) return 0;
    check(rc, "send_route");
    sent[to]++;
    return 1;
}

static int try_to_receive(int lossy) {
    void* buf;
    unsigned char* bytes;
    int size, number, from, i;
    int rc = myri_api0_recv(0, chan, &buf, &size);
    if (rc == MYRI_API0_NO_PACKET) return 0;
    check(rc, "recv");
    bytes = buf;
    from = bytes[0];
    memcpy(&number, bytes + 4, sizeof number);
    if (number < last[from] || (number > last[from] && !lossy) || size != size_of(number)) {
        fprintf(stderr, "message %d of %d bytes from %d, expected %d\n", number, size, from, last[from]);
        exit(1);
    }
    for (i = HEAD; i < size; i++) {
        if (bytes[i] != (unsigned char)(number + i + from)) {
            fprintf(stderr, "message %d from %d is wrong\n", number, from);
            exit(1);
        }
    }
    last[from] = number + 1;
    received[from]++;
    check(myri_api0_free_recv(0, chan, buf), "free_recv");
    return 1;
}

int main(int argc, char** argv) {
    int messages = argc > 1 ? atoi(argv[1]) : 1000;
    int lossy = argc > 2;
    int node, open, total = 0;
    char route[1];

    me = atoi(getenv("ISOPLANE_RANK"));
    nodes = atoi(getenv("ISOPLANE_SIZE"));
    check(myri_api0_init(0, 0, 0, NULL), "init");
    chan = myri_api0_get_chan(0, 3);
    check(chan, "get_chan");
    check(myri_api0_init_recv_chan(0, chan), "init_recv_chan");
    for (node = 0; node < nodes; node++) {
        route[0] = node;
        routes[node] = myri_api0_add_route(0, MYRI_API0_NEXT_ROUTE, route, 1);
        check(routes[node], "add_route");
    }
    do {
        open = 0;
        for (node = 0; node < nodes; node++) {
            if (sent[node] < messages) {
                try_to_send(node);
                open = 1;
            }
            if (!lossy && received[node] < messages) open = 1;
        }
        while (try_to_receive(lossy))
            ;
    } while (open);
    while (myri_api0_num_pending(0) > 0)
        while (try_to_receive(lossy))
            ;
    for (node = 0; node < nodes; node++)
        total += received[node];
    if (lossy)
        printf("all sent\n");
    else
        printf("%d messages, all whole and in order\n", total);
    return 0;
}
