/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Channels as programs for a Myrinet card of the 1990s know them: messages are written and read in the
 * buffers that the network sends from and receives into.
 *
 * A program is started by `isoplane run`. It calls myri_api0_init() first; when it exits with 0 it leaves
 * together with all others. unit_num is 0 everywhere. Functions return 0 or more, or a code of
 * myri_api0_rc.h. None of them waits, but init. doc/channels.md has it all.
 *
 * Any thread may call any function. Those that end in _l stand back while another thread has the lock of the
 * send channel, which the others of that name do not look at. */
#ifndef ISOPLANE_MYRI_API0_H
#define ISOPLANE_MYRI_API0_H

#include <myri_api0_k.h>
#include <myri_api0_rc.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Joins the job, with the zero route, and those of the file that ISOPLANE_ROUTES names. Further calls do
 * nothing, unless force_init is set: then all channels are free again, and the routes as at first. in_id and
 * mcp_code are not looked at. */
int myri_api0_init(int unit_num, int in_id, int force_init, char* mcp_code);
/* Shows that the network still answers. */
int myri_api0_handshake(int unit_num);

/* A receive channel for this program: of that number, or MYRI_API0_ANY_CHAN for any but 0. Returns the
 * number. */
int myri_api0_get_chan(int unit_num, int chan_num);
int myri_api0_rele_chan(int unit_num, int chan_num);
/* Makes it receive; one that nobody has got is this program's from here on. */
int myri_api0_init_recv_chan(int unit_num, int chan_num);

/* A route to the node whose number is in the `len` bytes of the route, the highest first: 1 to 4 of them. Of
 * that id, or MYRI_API0_NEXT_ROUTE. Returns the id, which is not 0: the zero route leads to the other node
 * where there are two. */
int myri_api0_add_route(int unit_num, int route_id, char* route, int len);

int myri_api0_get_send_buffer(int unit_num, void** buf);
int myri_api0_get_send_buffer_l(int unit_num, void** buf);
/* The buffer stays the program's, and is not to be changed while it is busy. One that was received may be
 * sent, too. */
int myri_api0_send_route(int unit_num, int chan_num, void* buf, int buf_len, int route_id);
int myri_api0_send_route_l(int unit_num, int chan_num, void* buf, int buf_len, int route_id);
/* Whenever it is no longer needed, busy or not. */
int myri_api0_free_send(int unit_num, char* buf);
int myri_api0_free_send_l(int unit_num, char* buf);
/* 1 while it is being sent, else 0. */
int myri_api0_buffer_busy_p(int unit_num, void* buf);
int myri_api0_reap_sent(int unit_num);
int myri_api0_reap_sent_l(int unit_num);
/* How many buffers are being sent, or a few more. */
int myri_api0_num_pending(int unit_num);

/* How many messages myri_api0_recv() would give. */
int myri_api0_recv_poll(int unit_num, int chan_num);
int myri_api0_recv(int unit_num, int chan_num, void** buf, int* buf_len);
/* A buffer from that channel. */
int myri_api0_free_recv(int unit_num, int chan_num, void* buf);

int myri_api0_lock(int unit_num);
int myri_api0_unlock(int unit_num);

/* MYRI_API0_MAX_LEN. */
int isoplane_myri_api0_max_len(void);

#ifdef __cplusplus
}
#endif

#endif
