/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Isotach version 1: isochrons of accesses to shared memory, and of messages, which call a handler of the
 * node that they go to.
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
/* Waits until all nodes are done, and handles their messages meanwhile. Called by a handler, it takes effect
 * with the next iso_poll() or iso_end(), and then the program ends with exit code 0: who polls does not know
 * of it. 0. */
int isoplane_iso_deinit(void);
long isoplane_iso_node(void);
long isoplane_iso_nodes(void);

/* What is between these two is an isochron. Its end waits until it can go, and handles messages. 0, as of
 * iso_deinit(): main() used to be void, and then what it called last decides on the exit code. */
void isoplane_iso_start(void);
int isoplane_iso_end(void);
/* Handles the messages that have come. Not within an isochron. */
void isoplane_iso_poll(void);

/* Bytes of the largest message. */
#define MAX_ISO_MSG_SIZE 1024
/* Handlers have the numbers below this one. */
#define MAX_ISO_HANDLERS 256

/* The data is there until it returns. It calls nothing of this header but iso_deinit(). */
typedef void iso_handler(int sender, void* data, int length);
/* Returns the one before; NULL for none, which a message must not meet. */
iso_handler* isoplane_iso_set_handler(int number, iso_handler* handler);
/* Within an isochron: copies a message to a node, which may be this one. */
void isoplane_iso_send_msg(int target, int handler, const void* data, int size);

/* Of a variable of 32 bits; one of 64 bits has two, and an even one. Which nodes hold a copy of it, shmem_map
 * says for the page. */
typedef unsigned int shmem_addr_t;

/* The default; the key page-size of node.conf sets another. */
#define PAGE_SIZE 1024
#define MAX_USER_PAGES 4096

/* Where a read puts its value. It is there when read_iso_var32() or read_iso_var64() has returned it, and
 * until the next read into it. */
struct iso_var32 {
    long value;
};
struct iso_var64 {
    long long value;
};

/* All of these but the last two stand in an isochron, and wait for nothing. */
void isoplane_iso_read32(shmem_addr_t at, struct iso_var32* variable);
void isoplane_iso_read64(shmem_addr_t at, struct iso_var64* variable);
void isoplane_iso_write32(shmem_addr_t at, long value);
void isoplane_iso_write64(shmem_addr_t at, long long value);
/* Of a variable of 32 bits, and of 64: it has no value from here on, until it is assigned. A node has one
 * such at a time for a variable. */
void isoplane_iso_sched32(shmem_addr_t at);
void isoplane_iso_sched64(shmem_addr_t at);
void isoplane_iso_assign32(shmem_addr_t at, long value);
void isoplane_iso_assign64(shmem_addr_t at, long long value);
/* Wait for the value of the read, and handle messages until it comes. */
long isoplane_iso_value32(struct iso_var32* variable);
long long isoplane_iso_value64(struct iso_var64* variable);

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
#define iso_read32(at, variable) isoplane_iso_read32(at, variable)
#define iso_read64(at, variable) isoplane_iso_read64(at, variable)
#define iso_write32(at, value) isoplane_iso_write32(at, value)
#define iso_write64(at, value) isoplane_iso_write64(at, value)
#define iso_sched(at) isoplane_iso_sched32(at)
#define iso_sched64(at) isoplane_iso_sched64(at)
#define iso_assign32(at, value) isoplane_iso_assign32(at, value)
#define iso_assign64(at, value) isoplane_iso_assign64(at, value)
#define read_iso_var32(variable) isoplane_iso_value32(variable)
#define read_iso_var64(variable) isoplane_iso_value64(variable)
/* How it was spelt before there were two sizes. */
#define iso_var iso_var32
#define read_iso_var(variable) isoplane_iso_value32(variable)
#define iso_assign(at, value) isoplane_iso_assign32(at, value)
#define iso_send_msg(target, handler, data, size) isoplane_iso_send_msg(target, handler, data, size)

#endif
