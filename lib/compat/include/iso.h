/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Isotach version 1: isochrons of messages, which call a handler of the node that they go to.
 *
 * A program is started by `isoplane run`, which numbers its nodes from 0. It calls iso_init() first, and
 * iso_deinit() last. Nothing here fails: what goes wrong ends the program with a sentence. doc/programs.md
 * has it all. */
#ifndef ISOPLANE_ISO_H
#define ISOPLANE_ISO_H

#ifdef ISOPLANE_ISOTACH_H
#error iso.h and isotach.h are two generations of one interface: include one of them
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Waits for all nodes, and for logical time. */
void isoplane_iso_init(void);
/* Waits until all nodes are done, and handles their messages meanwhile. */
void isoplane_iso_deinit(void);
long isoplane_iso_node(void);
long isoplane_iso_nodes(void);

/* What is sent between these two is an isochron. Its end waits until it can go, and handles messages. */
void isoplane_iso_start(void);
void isoplane_iso_end(void);
/* Handles the messages that have come. Not within an isochron. */
void isoplane_iso_poll(void);

/* Bytes of the largest message. */
#define MAX_ISO_MSG_SIZE 1024
/* Handlers have the numbers below this one. */
#define MAX_ISO_HANDLERS 256

/* The data is there until it returns. It calls nothing of this header. */
typedef void iso_handler(int sender, void* data, int length);
/* Returns the one before; NULL for none, which a message must not meet. */
iso_handler* isoplane_iso_set_handler(int number, iso_handler* handler);
/* Within an isochron: copies a message to a node, which may be this one. */
void isoplane_iso_send_msg(int target, int handler, const void* data, int size);

#ifdef __cplusplus
}
#endif

#define NODEID isoplane_iso_node()
#define NUMNODES isoplane_iso_nodes()
#define iso_init() isoplane_iso_init()
#define iso_deinit() isoplane_iso_deinit()
#define iso_start() isoplane_iso_start()
#define iso_end() isoplane_iso_end()
#define iso_poll() isoplane_iso_poll()
#define iso_set_handler(number, handler) isoplane_iso_set_handler(number, handler)
#define iso_send_msg(target, handler, data, size) isoplane_iso_send_msg(target, handler, data, size)

#endif
