/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Memory of other nodes by active messages: reads, writes and fetch-and-add: hpamread [TIMES]. Every node
 * counts at node 0, takes a ticket with each count, and writes it down at the next node. */
/* clang-format off */ /* which does not know the C of Kernighan and Ritchie */
#include <stdio.h>
#include <stdlib.h>

#include <hpam.h>

static volatile long counter; /* node 0's is used */
static volatile long board[4096];
static volatile int arrived;

/* What an access here waits for. */
struct access {
    volatile int done;
    volatile long value;
};

static void complete(access, value)
struct access* access;
long value;
{
    access->value = value;
    access->done = 1;
}

static void on_read(access, address)
struct access* access;
long* address;
{
    HPAM_reply_4(complete, access, *address, 0, 0);
}

static void on_write(access, address, value)
struct access* access;
long *address, value;
{
    *address = value;
    HPAM_reply_4(complete, access, value, 0, 0);
}

static void on_add(access, address, value)
struct access* access;
long *address, value;
{
    long before = *address;
    *address = before + value;
    HPAM_reply_4(complete, access, before, 0, 0);
}

static void on_arrival() { arrived++; }

static long access_to(to, handler, address, value)
int to;
void (*handler)();
volatile long* address;
long value;
{
    struct access access;
    access.done = 0;
    if (HPAM_4(to, handler, &access, address, value, 0) != 0) {
        printf("a request was refused\n");
        exit(1);
    }
    while (!access.done)
        HPAM_poll();
    return access.value;
}

main(argc, argv)
int argc;
char** argv;
{
    int times = argc > 1 ? atoi(argv[1]) : 500;
    int me = HPAM_self_address, nodes = HPAM_partition_size;
    int next = (me + 1) % nodes;
    int i, wrong = 0;
    long ticket, last = -1;

    for (i = 0; i < times; i++) {
        ticket = access_to(0, on_add, &counter, 1L);
        if (ticket <= last) wrong++;
        last = ticket;
        access_to(next, on_write, &board[i % 4096], ticket);
        if (access_to(next, on_read, &board[i % 4096], 0L) != ticket) wrong++;
    }
    /* All have counted when all have arrived everywhere. */
    for (i = 0; i < nodes; i++)
        HPAM_4(i, on_arrival, 0, 0, 0, 0);
    while (arrived < nodes)
        HPAM_poll();
    printf("counted to %ld, %d wrong\n", access_to(0, on_read, &counter, 0L), wrong);
    return wrong != 0;
}
