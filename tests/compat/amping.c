/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* How long a request and its reply take: amping [ROUNDS]. Every node plays with the next, so that each
 * answers one while it waits for another. */
/* clang-format off */ /* which does not know the C of Kernighan and Ritchie */
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

#include <am.h>

static int wrong;

static double now_us() {
    struct timeval t;
    gettimeofday(&t, NULL);
    return t.tv_sec * 1e6 + t.tv_usec;
}

static void pong(source, flag, round)
int source;
volatile int* flag;
int round;
{
    if (*flag != -round) wrong++;
    *flag = round;
}

static void ping(source, flag, round)
int source;
volatile int* flag;
int round;
{
    am_reply_2(source, pong, flag, round);
}

static void count(source, counter)
int source;
volatile int* counter;
{
    (*counter)++;
}

static volatile int counted;

main(argc, argv)
int argc;
char** argv;
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1000;
    int me, next, i;
    volatile int flag;
    double start, took;

    am_enable(0, argc, argv);
    me = am_my_proc();
    next = (me + 1) % am_procs();
    barrier();
    start = now_us();
    for (i = 1; i <= rounds; i++) {
        flag = -i;
        am_request_2(next, ping, &flag, i);
        am_wait_for(flag == i);
    }
    took = now_us() - start;
    /* As many as fit, none of which is replied to; the variable is where this node has it, too. */
    for (i = 0; i < rounds; i++)
        am_request_1(next, count, &counted);
    barrier();
    if (counted != rounds) wrong++;
    printf("%d round trips, %d wrong\n", rounds, wrong);
    printf("%.2f us there and back\n", took / rounds);
    am_disable();
    return wrong != 0;
}
