/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Data of all sizes, stored at the next node and got back from it, between addresses of all alignments:
 * ambulk [LARGEST]. */
/* clang-format off */ /* which does not know the C of Kernighan and Ritchie */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <am.h>

#define ALIGNMENTS 4
#define MOST (1 << 20)

/* What others store here, and what this node does. */
static char theirs[MOST + 16], own[MOST + 16];
static char out[MOST + 16], back[MOST + 16];
static volatile int stored, got, sent, moved;
static int wrong;

static void noise(data, size, seed)
char* data;
int size, seed;
{
    int i;
    for (i = 0; i < size; i++)
        data[i] = (char)(i * 31 + seed + (i >> 8) * 7);
}

static void acknowledge(source, size)
int source, size;
{
    stored += size + 1;
}

static void take(source, data, size, argument)
int source;
char* data;
int size;
void* argument;
{
    if ((long)argument != size) wrong++;
    gam_reply_1(source, acknowledge, size);
}

static void have(source, data, size, argument)
int source;
char* data;
int size;
void* argument;
{
    got += size + 1;
}

static void done(to, data, size, argument)
int to;
char* data;
int size;
void* argument;
{
    sent += size + 1;
}

/* Sends what was stored here to where the requester wants it. */
static void mirror(source, from, to, size)
int source;
char *from, *to;
int size;
{
    gam_reply_xfer(source, from, to, size, have, 0);
}

static void compare(expected, found, size, what)
char *expected, *found;
int size;
char* what;
{
    if (memcmp(expected, found, size) == 0 && found[-1] == 0 && found[size] == 0) return;
    printf("%d bytes %s are wrong\n", size, what);
    wrong++;
}

static void try(to, size, from, at)
int to, size, from, at;
{
    char* there = (to == gam_my_proc() ? own : theirs) + 1 + at;
    noise(out + 1 + from, size, to + size);
    memset(back, 0, sizeof back);
    gam_store(to, out + 1 + from, there, size, take, (long)size);
    gam_wait(&stored, size + 1);

    gam_get(to, there, back + 1 + from, size, have, 0);
    gam_wait(&got, size + 1);
    compare(out + 1 + from, back + 1 + from, size, "that were got");

    memset(back, 0, sizeof back);
    gam_request_3(to, mirror, there, back + 1 + at, size);
    gam_wait(&got, size + 1);
    compare(out + 1 + from, back + 1 + at, size, "of a reply");

    gam_store_async(to, out + 1 + from, there, size, take, (long)size, done, 0);
    gam_wait(&sent, size + 1);
    gam_wait(&stored, size + 1);
    moved += size;
}

main(argc, argv)
int argc;
char** argv;
{
    static int sizes[] = {0, 1, 4, 37, 256, 1400, 1500, 4500, 8192, 30000, MOST};
    int most = argc > 1 ? atoi(argv[1]) : MOST;
    int next, i, from, at;

    gam_enable();
    next = (gam_my_proc() + 1) % gam_procs();
    gam_barrier();
    for (i = 0; i < (int)(sizeof sizes / sizeof sizes[0]) && sizes[i] <= most; i++) {
        for (from = 0; from < ALIGNMENTS; from++) {
            for (at = 0; at < ALIGNMENTS; at += sizes[i] < 5000 ? 1 : 3)
                try(next, sizes[i], from, at);
        }
        try(gam_my_proc(), sizes[i], 1, 2);
    }
    gam_barrier();
    printf("%d bytes there and back, %d wrong\n", moved, wrong);
    gam_disable();
    return wrong != 0;
}
