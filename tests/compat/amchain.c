/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* A store whose end begins the next one, so many times, to this node and to the other, on a small stack:
 * amchain [TIMES]. */
/* clang-format off */ /* which does not know the C of Kernighan and Ritchie */
#include <stdio.h>
#include <stdlib.h>

#include <am.h>

static char there[8], here[8];
static volatile int stored, ended;
static int to, times;

static void have(source, data, size, argument)
int source;
char* data;
int size;
void* argument;
{
    stored++;
}

static void next(node, data, size, argument)
int node;
char* data;
int size;
void* argument;
{
    ended++;
    if (ended < times) am_store_async(to, here, there, sizeof here, have, (void*)0, next, (void*)0);
}

static void chain(node)
int node;
{
    to = node;
    ended = 0;
    am_store_async(to, here, there, sizeof here, have, (void*)0, next, (void*)0);
    am_wait_for(ended == times);
}

int main(argc, argv)
int argc;
char** argv;
{
    times = argc > 1 ? atoi(argv[1]) : 100000;
    am_enable(argc, argv);
    chain(am_my_proc());
    chain((am_my_proc() + 1) % am_procs());
    am_wait_for(stored >= 2 * times);
    printf("%d stores, each begun by the end of the one before\n", 2 * times);
    am_disable();
    return 0;
}
