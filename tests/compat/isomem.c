/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Shared memory of isotach version 1: isomem [ROUNDS]. Every node
 * - writes one number to variables on several pages, and reads them all: they must agree, whoever has written
 *   in between;
 * - takes both forks beside it, and may not find that anybody eats with one of them meanwhile;
 * - counts with all others in one variable of 64 bits. */
#include <stdio.h>
#include <stdlib.h>

#include <iso.h>

#define PAGES 7
#define EVERYWHERE 5
#define FORKS (PAGES * PAGE_SIZE)
#define USERS (FORKS + 256)
#define COUNTER (FORKS + 512)
#define MOST_NODES 64

enum { DONE = 3 };

static int done;

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

static void write_and_read(int round) {
    struct iso_var32 seen[PAGES * EVERYWHERE];
    int i;
    iso_start();
    for (i = 0; i < PAGES * EVERYWHERE; i++)
        iso_write32(i / EVERYWHERE * PAGE_SIZE + 10 + i % EVERYWHERE, round * 1000 + NODEID);
    iso_end();
    iso_start();
    for (i = 0; i < PAGES * EVERYWHERE; i++)
        iso_read32(i / EVERYWHERE * PAGE_SIZE + 10 + i % EVERYWHERE, &seen[i]);
    iso_end();
    for (i = 0; i < PAGES * EVERYWHERE; i++)
        if (read_iso_var32(&seen[i]) != read_iso_var32(&seen[0])) fail("not the same everywhere", i);
}

static void eat(void) {
    static struct iso_var forks[MOST_NODES];
    const int left = NODEID, right = (NODEID + 1) % NUMNODES;
    long meals_left, meals_right;
    iso_start();
    iso_read32(FORKS + left, &forks[left]);
    iso_sched(FORKS + left);
    if (right != left) iso_read32(FORKS + right, &forks[right]);
    if (right != left) iso_sched(FORKS + right);
    iso_end();
    meals_left = read_iso_var(&forks[left]);
    meals_right = read_iso_var(&forks[right]);
    iso_start();
    iso_write32(USERS + left, NODEID);
    iso_write32(USERS + right, NODEID);
    iso_end();
    iso_start();
    iso_read32(USERS + left, &forks[left]);
    iso_read32(USERS + right, &forks[right]);
    iso_end();
    if (read_iso_var(&forks[left]) != NODEID) fail("somebody eats with my left fork", meals_left);
    if (read_iso_var(&forks[right]) != NODEID) fail("somebody eats with my right fork", meals_right);
    iso_start();
    iso_assign(FORKS + left, meals_left + 1);
    if (right != left) iso_assign(FORKS + right, meals_right + 1);
    iso_end();
}

static void count(void) {
    struct iso_var64 before;
    long long before_value;
    iso_start();
    iso_read64(COUNTER, &before);
    iso_sched64(COUNTER);
    iso_end();
    before_value = read_iso_var64(&before);
    iso_start();
    iso_assign64(COUNTER, before_value + 0x100000001LL);
    iso_end();
}

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 100;
    struct iso_var forks[MOST_NODES];
    struct iso_var64 counter;
    long node, meals = 0;
    int i;
    iso_init();
    iso_set_handler(DONE, on_done);
    meet(1);
    for (i = 0; i < rounds; i++) {
        write_and_read(i);
        eat();
        count();
    }
    meet(2);
    iso_start();
    for (node = 0; node < NUMNODES; node++)
        iso_read32(FORKS + node, &forks[node]);
    iso_read64(COUNTER, &counter);
    iso_end();
    for (node = 0; node < NUMNODES; node++)
        meals += read_iso_var(&forks[node]);
    if (read_iso_var64(&counter) != rounds * NUMNODES * 0x100000001LL) fail("miscounted", rounds);
    printf("%ld forks used, %ld counted\n", meals, (long)(read_iso_var64(&counter) & 0xffffffff));
    iso_deinit();
    return 0;
}
