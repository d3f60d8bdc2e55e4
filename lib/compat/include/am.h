/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Generic Active Messages, version 1.1, by either spelling of their names. Handlers are called with the
 * number of the sender first: handler(source, word, word, word, word); and after a transfer as
 * handler(source, address, size, argument). isoplane_active.h says what all calls have in common. */
#ifndef ISOPLANE_AM_H
#define ISOPLANE_AM_H

#include <isoplane_active.h>

/* A node. */
typedef int vnn_t;
/* K&R C knows no more of a function. */
#ifdef __cplusplus
typedef isoplane_active_handler handler_t;
#else
typedef void (*handler_t)();
#endif
typedef void (*handler_0_t)(vnn_t);
typedef void (*handler_1_t)(vnn_t, long);
typedef void (*handler_2_t)(vnn_t, long, long);
typedef void (*handler_3_t)(vnn_t, long, long, long);
typedef void (*handler_4_t)(vnn_t, long, long, long, long);
typedef void (*handler_mem_t)(vnn_t, void*, int, void*);

/* The arguments, which systems of then had different ones of, mean nothing. */
#define am_enable(...) isoplane_active_open()
#define am_disable() isoplane_active_close()
#define am_my_proc() isoplane_active_node()
#define am_procs() isoplane_active_nodes()
#define am_poll() isoplane_active_poll()
#define am_wait_for(condition)      \
    do {                            \
        while (!(condition))        \
            isoplane_active_poll(); \
    } while (0)
#define am_wait(counter, value) isoplane_active_wait(counter, value)
/* What programs cut their data into; larger transfers are taken, too. */
#define am_max_size() 8192

#define am_request_4(to, ...) ISOPLANE_AM_4(isoplane_active_request, to, __VA_ARGS__, 0, 0, 0, 0, 0)
#define am_reply_4(to, ...) ISOPLANE_AM_4(isoplane_active_reply, to, __VA_ARGS__, 0, 0, 0, 0, 0)
#define ISOPLANE_AM_4(call, to, handler, ...) \
    ISOPLANE_ACTIVE_CALL(call, to, handler, ISOPLANE_ACTIVE_SOURCE, __VA_ARGS__)
#define am_request_0 am_request_4
#define am_request_1 am_request_4
#define am_request_2 am_request_4
#define am_request_3 am_request_4
#define am_reply_0 am_reply_4
#define am_reply_1 am_reply_4
#define am_reply_2 am_reply_4
#define am_reply_3 am_reply_4

/* Copies so many bytes from here to an address there, and calls the handler there. */
#define am_store(to, from, address, size, handler, argument)                                       \
    isoplane_active_transfer(to, from, (void*)(address), size, (isoplane_active_handler)(handler), \
                             ISOPLANE_ACTIVE_SOURCE, ISOPLANE_ACTIVE_WORD(argument), 0, 0)
/* Does not wait until the bytes may change, but calls at_end(to, from, size, end_argument) then. */
#define am_store_async(to, from, address, size, handler, argument, at_end, end_argument)           \
    isoplane_active_transfer(to, from, (void*)(address), size, (isoplane_active_handler)(handler), \
                             ISOPLANE_ACTIVE_SOURCE, ISOPLANE_ACTIVE_WORD(argument),               \
                             (isoplane_active_handler)(at_end), ISOPLANE_ACTIVE_WORD(end_argument))
/* Copies so many bytes from an address there to one here, and calls the handler here. */
#define am_get(to, address, into, size, handler, argument)                                          \
    isoplane_active_get(to, (const void*)(address), into, size, (isoplane_active_handler)(handler), \
                        ISOPLANE_ACTIVE_SOURCE, ISOPLANE_ACTIVE_WORD(argument))
#define am_reply_xfer(to, from, address, size, handler, argument)                                        \
    isoplane_active_reply_transfer(to, from, (void*)(address), size, (isoplane_active_handler)(handler), \
                                   ISOPLANE_ACTIVE_SOURCE, ISOPLANE_ACTIVE_WORD(argument))

#define gam_enable am_enable
#define gam_disable am_disable
#define gam_my_proc am_my_proc
#define gam_procs am_procs
#define gam_poll am_poll
#define gam_wait_for am_wait_for
#define gam_wait am_wait
#define gam_max_size am_max_size
#define gam_request_0 am_request_4
#define gam_request_1 am_request_4
#define gam_request_2 am_request_4
#define gam_request_3 am_request_4
#define gam_request_4 am_request_4
#define gam_reply_0 am_reply_4
#define gam_reply_1 am_reply_4
#define gam_reply_2 am_reply_4
#define gam_reply_3 am_reply_4
#define gam_reply_4 am_reply_4
#define gam_store am_store
#define gam_store_async am_store_async
#define gam_get am_get
#define gam_reply_xfer am_reply_xfer

#define am_barrier() isoplane_active_barrier()
#define gam_barrier() isoplane_active_barrier()
/* A program may have one of its own by this name, as barrier() or barrier(void): it is that of am_barrier(),
 * too. */
#define barrier(...) isoplane_active_barrier(__VA_ARGS__)

#endif
