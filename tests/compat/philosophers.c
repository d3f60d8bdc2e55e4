/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Dining philosophers of isotach version 1: philosophers [MEALS]. Node i sits between forks i and i + 1, and
 * takes both with one isochron, which reads and schedules them: their values come when the neighbours have
 * assigned them. While it eats it lays its number beside its forks, and must find it there. */
#include <stdio.h>
#include <stdlib.h>

#include <iso.h>

#define FORKS 1024
#define EATERS 1280

static long left, right;

static void fail(const char* what, long number) {
    fprintf(stderr, "node %ld: %s (%ld)\n", NODEID, what, number);
    exit(1);
}

static void eat(void) {
    struct iso_var beside_left, beside_right;
    iso_start();
    iso_write32(EATERS + left, NODEID);
    iso_write32(EATERS + right, NODEID);
    iso_end();
    iso_start();
    iso_read32(EATERS + left, &beside_left);
    iso_read32(EATERS + right, &beside_right);
    iso_end();
    if (read_iso_var(&beside_left) != NODEID) fail("somebody eats with my left fork", left);
    if (read_iso_var(&beside_right) != NODEID) fail("somebody eats with my right fork", right);
}

/* A fork's value is how often it was used. */
int main(int argc, char** argv) {
    const int meals = argc > 1 ? atoi(argv[1]) : 100;
    struct iso_var* forks;
    long used_left, used_right;
    int i;
    iso_init();
    if (NUMNODES < 2) fail("philosophers dine together: start more", NUMNODES);
    forks = malloc(sizeof *forks * NUMNODES);
    left = NODEID;
    right = (NODEID + 1) % NUMNODES;
    for (i = 0; i < meals; i++) {
        iso_start();
        iso_read32(FORKS + left, &forks[left]);
        iso_read32(FORKS + right, &forks[right]);
        iso_sched(FORKS + left);
        iso_sched(FORKS + right);
        iso_end();
        used_left = read_iso_var(&forks[left]);
        used_right = read_iso_var(&forks[right]);
        eat();
        iso_start();
        iso_assign(FORKS + left, used_left + 1);
        iso_assign(FORKS + right, used_right + 1);
        iso_end();
    }
    do { /* until the neighbour has eaten, too */
        iso_start();
        iso_read32(FORKS + left, &forks[left]);
        iso_end();
    } while (read_iso_var(&forks[left]) < 2 * meals);
    printf("%d meals, nobody beside me, fork used %ld times\n", meals, read_iso_var(&forks[left]));
    free(forks);
    iso_deinit();
    return 0;
}
