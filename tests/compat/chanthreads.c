/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Threads that share the send channel of a node while another receives: chanthreads [MESSAGES [ends]]. Two
 * nodes. With "ends", main returns while they are still at it, when each has sent a few. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <myri_api0.h>

#define THREADS 3

static int messages, ends;
static volatile int sent[THREADS];

static void check(int rc, const char* what) {
    if (rc >= 0) return;
    if (ends && rc == MYRI_API0_NOT_INIT) pause(); /* the program is over */
    fprintf(stderr, "%s: %d\n", what, rc);
    exit(1);
}

/* With the functions that lock, or all three under one lock. */
static void* sender(void* number) {
    int me = *(int*)number;
    int i, rc;
    void* buf;
    for (i = 0; i < messages;) {
        if (me == 0) {
            check(myri_api0_lock(0), "lock");
            rc = myri_api0_get_send_buffer(0, &buf);
        } else {
            rc = myri_api0_get_send_buffer_l(0, &buf);
        }
        if (rc == 0) {
            ((int*)buf)[0] = me;
            ((int*)buf)[1] = i;
            memset((int*)buf + 2, me, 400);
            rc =
                me == 0 ? myri_api0_send_route(0, 0, buf, 408, 0) : myri_api0_send_route_l(0, 0, buf, 408, 0);
            check(me == 0 ? myri_api0_free_send(0, buf) : myri_api0_free_send_l(0, buf), "free_send");
        }
        if (me == 0) check(myri_api0_unlock(0), "unlock");
        if (rc == 0)
            sent[me] = ++i;
        else if (rc == MYRI_API0_SEND_FULL || rc == MYRI_API0_NO_BUFFERS)
            sched_yield();
        else
            check(rc, "send");
    }
    return NULL;
}

int main(int argc, char** argv) {
    pthread_t threads[THREADS];
    int numbers[THREADS], next[THREADS];
    int i, size, total = 0;
    void* buf;

    messages = argc > 1 ? atoi(argv[1]) : 500;
    ends = argc > 2 && strcmp(argv[2], "ends") == 0;
    check(myri_api0_init(0, 0, 0, NULL), "init");
    check(myri_api0_get_chan(0, 0), "get_chan");
    check(myri_api0_init_recv_chan(0, 0), "init_recv_chan");
    for (i = 0; i < THREADS; i++) {
        numbers[i] = i;
        next[i] = 0;
        if (pthread_create(&threads[i], NULL, sender, &numbers[i]) != 0) exit(1);
    }
    while (total < THREADS * messages) {
        int words[2];
        if (ends && sent[0] > 50 && sent[1] > 50 && sent[2] > 50) return 0;
        if (myri_api0_recv(0, 0, &buf, &size) != 0) {
            sched_yield();
            continue;
        }
        memcpy(words, buf, sizeof words);
        if (size != 408 || words[0] < 0 || words[0] >= THREADS || (words[1] != next[words[0]]++ && !ends) ||
            ((char*)buf)[407] != (char)words[0]) {
            fprintf(stderr, "a message is wrong\n");
            exit(1);
        }
        check(myri_api0_free_recv(0, 0, buf), "free_recv");
        total++;
    }
    for (i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%d messages of %d threads\n", total, THREADS);
    return 0;
}
