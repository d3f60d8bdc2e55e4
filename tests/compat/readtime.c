/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* How long a read takes, in isotach version 1: readtime [READS]. The last node reads a variable of which the
 * others have copies; they only poll, until a message of its ends them. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

#include <iso.h>

#define VARIABLE 10

enum { END = 22 };

static void on_end(int sender, void* data, int length) {
    if (length != 1 || *(char*)data != 'e') exit(1);
    printf("ended by node %d\n", sender == NUMNODES - 1 ? sender : -1);
    iso_deinit();
}

static void read_once(long expected) {
    struct iso_var value;
    iso_start();
    iso_read32(VARIABLE, &value);
    iso_end();
    if (read_iso_var(&value) == expected) return;
    fprintf(stderr, "%ld was read, %ld is there\n", read_iso_var(&value), expected);
    exit(1);
}

int main(int argc, char** argv) {
    const int reads = argc > 1 ? atoi(argv[1]) : 1000;
    struct timeval start, stop;
    double us;
    int i, to;
    iso_init();
    iso_set_handler(END, on_end);
    while (NODEID != NUMNODES - 1)
        iso_poll();
    iso_start();
    iso_write32(VARIABLE, 7777);
    iso_end();
    gettimeofday(&start, NULL);
    for (i = 0; i < reads; i++)
        read_once(7777);
    gettimeofday(&stop, NULL);
    us = (double)(stop.tv_sec - start.tv_sec) * 1e6 + (double)(stop.tv_usec - start.tv_usec);
    printf("%d reads, %.2f us each\n", reads, us / reads);
    iso_start();
    for (to = 0; to < NUMNODES - 1; to++)
        iso_send_msg(to, END, "e", 1);
    iso_end();
    iso_deinit();
    return 0;
}
