/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Messages and barriers outside logical time, as programs for the Ironman messaging layer know them.
 *
 * A program is started by `isoplane run`, which numbers its nodes from 0. It calls open_net() first, any of
 * the others often, and try_close_net() until that returns 0. Functions return 0 when they have done what
 * they were asked for; a call that failed may be tried again. Names that C libraries have too (send, poll)
 * are macros here, so include system headers first. doc/programs.md has it all. */
#ifndef ISOPLANE_NONISO_H
#define ISOPLANE_NONISO_H

/* What these declare would meet the macros below. */
#include <poll.h>
#include <sys/socket.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef SUCCESS
#define SUCCESS 0
#endif
#ifndef FAILURE
#define FAILURE 1
#endif
#ifndef TRUE
#define TRUE 1
#endif
#ifndef FALSE
#define FALSE 0
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

/* Opens the connection and waits for all nodes. */
int isoplane_noniso_open(void);
/* Leaves together with all nodes: 0 once they all have called it. */
int isoplane_noniso_try_close(void);
/* Does what there is to do. -1: no message waits to be received. */
int isoplane_noniso_poll(void);

/* The number of the node of that name, or -1. */
int isoplane_noniso_node_number(const char* hostname);
int isoplane_noniso_my_node_number(void);
int isoplane_noniso_number_of_hosts(void);
/* Bytes of the largest message; may be asked before open_net(). */
int isoplane_noniso_max_payload(void);
/* 1 when a hardware SIU keeps time: never, here. */
int isoplane_noniso_siu_state(void);
/* 2: messages can be ordered. */
int isoplane_noniso_mbm_version(void);

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

#define open_net(...) isoplane_noniso_open()
#define try_close_net() isoplane_noniso_try_close()
#define poll() isoplane_noniso_poll()
#define noniso_poll() isoplane_noniso_poll()
#define get_node_number(hostname) isoplane_noniso_node_number(hostname)
#define get_my_node_number() isoplane_noniso_my_node_number()
#define get_number_of_hosts() isoplane_noniso_number_of_hosts()
#define get_max_payload() isoplane_noniso_max_payload()
#define get_SIU_state() isoplane_noniso_siu_state()
#define get_MBM_ver() isoplane_noniso_mbm_version()
#define send(target, data, size) isoplane_noniso_send(target, data, size)
#define receive(message) isoplane_noniso_receive(message)
#define initiate_barrier() isoplane_noniso_initiate_barrier()
#define barrier_completed() isoplane_noniso_barrier_completed()

#endif
