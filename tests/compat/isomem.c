/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Shared memory of isotach version 1: isomem ISOCHRONS PAGES. Every node issues that many isochrons: in turn
 * one that writes a random number to variables on all pages, and one that reads them all, which must agree,
 * whoever has written in between. Many are on their way at once. All nodes count their rounds in one variable
 * of 64 bits. */
#include <stdio.h>
#include <stdlib.h>

#include <iso.h>

#define EACH 3 /* variables of a page */
#define MOST_PAGES 64
#define WINDOW 16
#define FIRST 10
#define COUNTER 512

enum { DONE = 3 };

static int pages;
static int done;
static struct iso_var32 seen[WINDOW][MOST_PAGES * EACH];

static void fail(const char* what, long number) {
    fprintf(stderr, "node %ld: %s (%ld)\n", NODEID, what, number);
    exit(1);
}

static void on_done(int sender, void* data, int length) {
    (void)sender;
    (void)data;
    if (length != 0) fail("a message of the wrong size", length);
    done++;
}

static void meet(int meetings) {
    int to;
    iso_start();
    for (to = 0; to < NUMNODES; to++)
        iso_send_msg(to, DONE, NULL, 0);
    iso_end();
    while (done < meetings * NUMNODES)
        iso_poll();
}

static shmem_addr_t address(int i) {
    return (shmem_addr_t)(i / EACH * PAGE_SIZE + FIRST + i % EACH);
}

static void write_all(long value) {
    int i;
    iso_start();
    for (i = 0; i < pages * EACH; i++)
        iso_write32(address(i), value);
    iso_end();
}

static void read_all(struct iso_var32* into) {
    int i;
    iso_start();
    for (i = 0; i < pages * EACH; i++)
        iso_read32(address(i), &into[i]);
    iso_end();
}

static void check(struct iso_var32* read) {
    const long first = read_iso_var32(&read[0]);
    int i;
    for (i = 1; i < pages * EACH; i++)
        if (read_iso_var32(&read[i]) != first) fail("not the same everywhere", i);
}

/* What a node has read decides on what it writes. iso_sched() does not say how wide the variable is. */
static void count(long rounds) {
    struct iso_var64 before;
    long long value;
    iso_start();
    iso_read64(COUNTER, &before);
    iso_sched(COUNTER);
    iso_end();
    value = read_iso_var64(&before);
    iso_start();
    iso_assign64(COUNTER, value + rounds * 0x100000001LL);
    iso_end();
}

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) / 2 : 100;
    struct iso_var64 counter;
    int i;
    pages = argc > 2 ? atoi(argv[2]) : 7;
    if (pages < 1 || pages > MOST_PAGES) fail("pages are 1 to 64", pages);
    iso_init();
    iso_set_handler(DONE, on_done);
    srand48(NODEID);
    meet(1);
    for (i = 0; i < rounds; i++) {
        if (i >= WINDOW) check(seen[i % WINDOW]);
        write_all(mrand48());
        read_all(seen[i % WINDOW]);
        if (i % 1000 == 0) count(i == 0 ? (rounds - 1) % 1000 + 1 : 1000);
    }
    for (i = 0; i < WINDOW && i < rounds; i++)
        check(seen[i]);
    meet(2);
    iso_start();
    iso_read64(COUNTER, &counter);
    iso_end();
    if (read_iso_var64(&counter) != rounds * NUMNODES * 0x100000001LL) fail("miscounted", rounds);
    printf("%d isochrons, the same everywhere\n", 2 * rounds);
    iso_deinit();
    return 0;
}
