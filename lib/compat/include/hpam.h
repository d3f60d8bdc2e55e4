/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Active messages, as programs for the HP workstations of 1995 know them. There is no call that opens the
 * connection: the first that requests, replies or polls does. isoplane_active.h says what all of them have in
 * common. */
#ifndef ISOPLANE_HPAM_H
#define ISOPLANE_HPAM_H

#include <isoplane_active.h>

/* HPAM_4(to, handler, word, word, word, word): calls handler(word, word, word, word) at that node. */
#define HPAM_4(to, ...) ISOPLANE_HPAM_4(isoplane_active_request, to, __VA_ARGS__, 0, 0, 0, 0, 0)
/* HPAM_reply_4(handler, word, word, word, word): the same at the node whose request is being handled. */
#define HPAM_reply_4(...) ISOPLANE_HPAM_4(isoplane_active_reply, -1, __VA_ARGS__, 0, 0, 0, 0, 0)
#define ISOPLANE_HPAM_4(call, to, handler, ...) \
    ISOPLANE_ACTIVE_CALL(call, to, handler, ISOPLANE_ACTIVE_PLAIN, __VA_ARGS__)

/* Copies `size` bytes to an address at that node, then calls handler(argument, address, size) there. */
#define HPAM_xfer(to, from, address, size, handler, argument)                                      \
    isoplane_active_transfer(to, from, (void*)(address), size, (isoplane_active_handler)(handler), \
                             ISOPLANE_ACTIVE_PLAIN, ISOPLANE_ACTIVE_WORD(argument), 0, 0)
#define HPAM_reply_xfer(from, address, size, handler, argument)                                          \
    isoplane_active_reply_transfer(-1, from, (void*)(address), size, (isoplane_active_handler)(handler), \
                                   ISOPLANE_ACTIVE_PLAIN, ISOPLANE_ACTIVE_WORD(argument))

#define HPAM_poll() isoplane_active_poll()

/* This node, and how many there are. */
#define HPAM_self_address isoplane_active_node()
#define HPAM_partition_size isoplane_active_nodes()

#endif
