/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* What noniso.h and isotach.h have in common; programs include those.
 *
 * A program is started by `isoplane run`, which numbers its nodes from 0. It calls open_net() first, any of
 * the others often, and try_close_net() until that returns 0. Functions return 0 when they have done what
 * they were asked for; a call that failed may be tried again. Names that C libraries have too are macros
 * here, so include system headers first. doc/programs.md has it all. */
#ifndef ISOPLANE_NET_H
#define ISOPLANE_NET_H

/* What it declares would meet the macro below. */
#include <poll.h>

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

/* Opens the connection and waits for all nodes, and for logical time when the program uses it. */
int isoplane_net_open(int logical_time);
/* Leaves together with all nodes: 0 once they all have called it. */
int isoplane_net_try_close(void);
/* Does what there is to do. -1: no message waits to be received. */
int isoplane_net_poll(void);

/* The number of the node of that name, or -1. */
int isoplane_net_node_number(const char* hostname);
int isoplane_net_my_node_number(void);
int isoplane_net_number_of_hosts(void);
/* Bytes of the largest message that every kind of message can have, as it fits a frame; may be asked before
 * open_net(). Those in logical time can be larger: ISO_MAX_MESSAGE of iso_mbm.h. */
int isoplane_net_max_payload(int logical_time);
/* 1 when a hardware SIU keeps time: never, here. */
int isoplane_net_siu_state(void);
/* 2: messages can be ordered. */
int isoplane_net_mbm_version(void);

#ifdef __cplusplus
}
#endif

/* isotach.h sets it to 1, before or after noniso.h is included. */
#ifndef ISOPLANE_LOGICAL_TIME
#define ISOPLANE_LOGICAL_TIME 0
#endif

#define open_net(...) isoplane_net_open(ISOPLANE_LOGICAL_TIME)
#define try_close_net() isoplane_net_try_close()
#define poll() isoplane_net_poll()
#define get_node_number(hostname) isoplane_net_node_number(hostname)
#define get_my_node_number() isoplane_net_my_node_number()
#define get_number_of_hosts() isoplane_net_number_of_hosts()
#define get_max_payload() isoplane_net_max_payload(ISOPLANE_LOGICAL_TIME)
#define get_SIU_state() isoplane_net_siu_state()
#define get_MBM_ver() isoplane_net_mbm_version()

#endif
