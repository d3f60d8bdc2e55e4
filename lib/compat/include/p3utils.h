/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* What programs of Portals time themselves, and print, with. */
#ifndef ISOPLANE_P3UTILS_H
#define ISOPLANE_P3UTILS_H

#include <stdio.h>
#include <sys/time.h>

#ifdef __cplusplus
extern "C" {
#endif

extern FILE* p3_out;

/* A point in time; cleared, none. */
typedef struct {
    struct timeval at;
    int is_set;
} timeout_val_t;

static __inline__ void set_timeout(timeout_val_t* timeout, unsigned long msec) {
    gettimeofday(&timeout->at, NULL);
    timeout->at.tv_sec += (time_t)(msec / 1000);
    timeout->at.tv_usec += (suseconds_t)(msec % 1000 * 1000);
    if (timeout->at.tv_usec >= 1000000) {
        timeout->at.tv_usec -= 1000000;
        timeout->at.tv_sec++;
    }
    timeout->is_set = 1;
}

static __inline__ void clear_timeout(timeout_val_t* timeout) {
    timeout->is_set = 0;
}

/* Whether it is over. */
static __inline__ int test_timeout(timeout_val_t* timeout) {
    struct timeval now;
    if (!timeout->is_set) return 0;
    gettimeofday(&now, NULL);
    return now.tv_sec > timeout->at.tv_sec ||
           (now.tv_sec == timeout->at.tv_sec && now.tv_usec >= timeout->at.tv_usec);
}

#ifdef __cplusplus
}
#endif

#endif
