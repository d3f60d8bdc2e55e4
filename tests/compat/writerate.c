/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* How many isochrons of writes go, in isotach version 1: writerate [ISOCHRONS]. Every node issues them, each
 * of 16 writes, spread over 7 pages, and waits for none; then they meet, and what was written last has to be
 * of one isochron. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

#include <iso.h>

#define PAGES 7
#define WRITES 16
#define OF_A_NODE 100000000L
#define FINISHED 100

static void write_next(void) {
    static long value;
    static int page;
    int i;
    iso_start();
    for (i = 0; i < WRITES; i++) {
        iso_write32(page * PAGE_SIZE, OF_A_NODE * NODEID + value++);
        page = (page + 1) % PAGES;
    }
    iso_end();
}

static void meet(void) {
    struct iso_var finished;
    long before;
    iso_start();
    iso_read32(FINISHED, &finished);
    iso_sched(FINISHED);
    iso_end();
    before = read_iso_var(&finished);
    iso_start();
    iso_assign(FINISHED, before + 1);
    iso_end();
    do {
        iso_start();
        iso_read32(FINISHED, &finished);
        iso_end();
    } while (read_iso_var(&finished) < NUMNODES);
}

int main(int argc, char** argv) {
    const int isochrons = argc > 1 ? atoi(argv[1]) : 10000;
    struct timeval start, stop;
    struct iso_var pages[PAGES];
    double us;
    long least, most;
    int i;
    iso_init();
    gettimeofday(&start, NULL);
    for (i = 0; i < isochrons; i++)
        write_next();
    gettimeofday(&stop, NULL);
    us = (double)(stop.tv_sec - start.tv_sec) * 1e6 + (double)(stop.tv_usec - start.tv_usec);
    meet();
    iso_start();
    for (i = 0; i < PAGES; i++)
        iso_read32(i * PAGE_SIZE, &pages[i]);
    iso_end();
    least = most = read_iso_var(&pages[0]);
    for (i = 1; i < PAGES; i++) {
        const long value = read_iso_var(&pages[i]);
        if (value < least) least = value;
        if (value > most) most = value;
    }
    if (most - least != PAGES - 1) {
        fprintf(stderr, "node %ld: %ld to %ld are not of one isochron\n", NODEID, least, most);
        return 1;
    }
    printf("%d isochrons issued, %.2f us each\n", isochrons, us / isochrons);
    iso_deinit();
    return 0;
}
