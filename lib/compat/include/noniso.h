/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Messages and barriers outside logical time, as programs for the Ironman messaging layer know them. How a
 * program opens and closes its connection is in isoplane_net.h. */
#ifndef ISOPLANE_NONISO_H
#define ISOPLANE_NONISO_H

#include <isoplane_net.h>
/* What it declares would meet the macro send. */
#include <sys/socket.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A message. Up to 4 bytes are in it; more are where data_ptr points, until the next receive(). */
typedef struct {
    int sender_id;
    int size;
    union msg_tag {
        void* data_ptr;
        int data;
    } msg;
} noniso_mbm;

/* Copies a message to another node. Not 0: nothing was sent; try again, unless the arguments are wrong (no
 * such node, this node itself, more than get_max_payload() bytes). */
int isoplane_noniso_send(int target, const void* data, int size);
/* -1: there is none. */
int isoplane_noniso_receive(noniso_mbm* message);

/* Enters the next barrier. Not 0: the last one is still in progress. */
int isoplane_noniso_initiate_barrier(void);
/* 0: all nodes have entered the barrier that this one is in. */
int isoplane_noniso_barrier_completed(void);

#ifdef __cplusplus
}
#endif

#define noniso_poll() isoplane_net_poll()
#define send(target, data, size) isoplane_noniso_send(target, data, size)
#define receive(message) isoplane_noniso_receive(message)
#define initiate_barrier() isoplane_noniso_initiate_barrier()
#define barrier_completed() isoplane_noniso_barrier_completed()

#endif
