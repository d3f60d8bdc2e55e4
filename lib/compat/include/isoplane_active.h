/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* What hpam.h and am.h have in common; programs include those.
 *
 * A program is started by `isoplane run`, which numbers its nodes from 0. The first call but those about
 * numbers of nodes opens the connection and waits for all of them. Functions return 0 when they have done
 * what they were asked for, and -1, having done nothing, when that can never be: no such node, a handler that
 * may not do that. A request that will have no answer ends the program with a sentence.
 *
 * Addresses mean something at the node that they are of. Variables have the same address at all nodes if the
 * program is linked with -no-pie, or started as `setarch -R PROGRAM`. doc/active.md has it all. */
#ifndef ISOPLANE_ACTIVE_H
#define ISOPLANE_ACTIVE_H

#ifdef __cplusplus
extern "C" {
#endif

/* What a message carries: as wide as a pointer. */
typedef unsigned long isoplane_active_word;
/* Handlers have arguments of many kinds. */
typedef void (*isoplane_active_handler)(void);

/* How a handler is called. */
enum isoplane_active_convention {
    ISOPLANE_ACTIVE_PLAIN = 1, /* with the words; or with a transfer's argument, address and size */
    ISOPLANE_ACTIVE_SOURCE = 2 /* with its sender and the words; or a transfer's address, size and argument */
};

/* 0. */
int isoplane_active_open(void);
/* Waits until all nodes close. 0. */
int isoplane_active_close(void);
int isoplane_active_node(void);
int isoplane_active_nodes(void);
/* Calls the handlers of what has come. */
void isoplane_active_poll(void);
/* Waits until all nodes are here, and all requests of this one have been answered. */
void isoplane_active_barrier(void);
/* Until the counter is that much; which it is reduced by. */
void isoplane_active_wait(volatile int* counter, int value);

/* Requests, which wait until they can go, and serve others meanwhile. */
int isoplane_active_request(int to, isoplane_active_handler handler, int convention,
                            isoplane_active_word first, isoplane_active_word second,
                            isoplane_active_word third, isoplane_active_word fourth);
/* Copies so many bytes to the memory of that node. They may change when it returns; or, with a handler for
 * that, when it is called: with that node, their address and number, and its argument. */
int isoplane_active_transfer(int to, const void* from, void* address, long size,
                             isoplane_active_handler handler, int convention, isoplane_active_word argument,
                             isoplane_active_handler at_end, isoplane_active_word end_argument);
/* Copies them from the memory of that node, and calls the handler here. */
int isoplane_active_get(int to, const void* address, void* into, long size, isoplane_active_handler handler,
                        int convention, isoplane_active_word argument);

/* Replies, of request handlers. To -1 is to whoever made the request. */
int isoplane_active_reply(int to, isoplane_active_handler handler, int convention, isoplane_active_word first,
                          isoplane_active_word second, isoplane_active_word third,
                          isoplane_active_word fourth);
int isoplane_active_reply_transfer(int to, const void* from, void* address, long size,
                                   isoplane_active_handler handler, int convention,
                                   isoplane_active_word argument);

#ifdef __cplusplus
}
#endif

/* Programs give fewer words than there are, and integers and pointers for words. */
#define ISOPLANE_ACTIVE_WORD(word) ((isoplane_active_word)(word))
#define ISOPLANE_ACTIVE_CALL(call, to, handler, convention, first, second, third, fourth, ...) \
    call(to, (isoplane_active_handler)(handler), convention, ISOPLANE_ACTIVE_WORD(first),      \
         ISOPLANE_ACTIVE_WORD(second), ISOPLANE_ACTIVE_WORD(third), ISOPLANE_ACTIVE_WORD(fourth))

#endif
