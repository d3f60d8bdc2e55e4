/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* What each function answers to what it cannot do; on two nodes, of which one does as little as it can. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <myri_api0.h>

/* The whole interface, declared once more as programs of its time did. */
#ifdef __cplusplus
extern "C" {
#endif
int myri_api0_init(int unit_num, int in_id, int force_init, char* mcp_code);
int myri_api0_init_recv_chan(int unit_num, int chan_num);
int myri_api0_get_send_buffer_l(int unit_num, void** buf);
int myri_api0_free_send_l(int unit_num, char* buf);
int myri_api0_send_route_l(int unit_num, int chan_num, void* buf, int buf_len, int route_id);
int myri_api0_recv(int unit_num, int chan_num, void** buf, int* buf_len);
int myri_api0_recv_poll(int unit_num, int chan_num);
int myri_api0_free_recv(int unit_num, int chan_num, void* buf);
int myri_api0_add_route(int unit_num, int route_id, char* route, int len);
int myri_api0_num_pending(int unit_num);
int myri_api0_lock(int unit_num);
int myri_api0_unlock(int unit_num);
int myri_api0_handshake(int unit_num);
int myri_api0_buffer_busy_p(int unit_num, void* buf);
int myri_api0_reap_sent_l(int unit_num);
int myri_api0_get_chan(int unit_num, int chan_num);
int myri_api0_rele_chan(int unit_num, int chan_num);
#ifdef __cplusplus
}
#endif

static void same(int rc, int expected, int line) {
    if (rc == expected) return;
    fprintf(stderr, "line %d: %d instead of %d\n", line, rc, expected);
    exit(1);
}
#define SAME(call, expected) same(call, expected, __LINE__)

static void channels(void) {
    int i;
    SAME(myri_api0_get_chan(0, 0), 0);
    SAME(myri_api0_get_chan(0, 2), 2);
    SAME(myri_api0_get_chan(0, 2), MYRI_API0_CHAN_IN_USE);
    SAME(myri_api0_get_chan(0, MYRI_API0_NUM_CHANNELS), MYRI_API0_BAD_CHAN);
    SAME(myri_api0_get_chan(0, -2), MYRI_API0_BAD_CHAN);
    SAME(myri_api0_get_chan(0, MYRI_API0_ANY_CHAN), 1);
    for (i = 3; i < MYRI_API0_NUM_CHANNELS; i++)
        SAME(myri_api0_get_chan(0, MYRI_API0_ANY_CHAN), i);
    SAME(myri_api0_get_chan(0, MYRI_API0_ANY_CHAN), MYRI_API0_NO_CHANS);
    SAME(myri_api0_rele_chan(0, 5), MYRI_API0_OK);
    SAME(myri_api0_rele_chan(0, 5), MYRI_API0_CHAN_NOT_IN_USE);
    SAME(myri_api0_rele_chan(0, -1), MYRI_API0_BAD_CHAN);
    SAME(myri_api0_recv_poll(0, 5), MYRI_API0_CHAN_NOT_IN_USE);
    SAME(myri_api0_get_chan(0, MYRI_API0_ANY_CHAN), 5);
    SAME(myri_api0_init_recv_chan(0, 5), MYRI_API0_OK);
    SAME(myri_api0_init_recv_chan(0, 99), MYRI_API0_BAD_CHAN);
}

static void routes(int other) {
    char route[4];
    memset(route, 0, sizeof route);
    route[3] = other;
    SAME(myri_api0_add_route(0, MYRI_API0_NEXT_ROUTE, route + 3, 1), 1);
    SAME(myri_api0_add_route(0, 17, route, 4), 17);
    SAME(myri_api0_add_route(0, 17, route + 2, 2), 17);
    SAME(myri_api0_add_route(0, MYRI_API0_NEXT_ROUTE, route + 3, 1), 2);
    SAME(myri_api0_add_route(0, 0, route + 3, 1), MYRI_API0_BAD_ROUTE);
    SAME(myri_api0_add_route(0, 100000, route + 3, 1), MYRI_API0_BAD_ROUTE);
    SAME(myri_api0_add_route(0, 3, route, 0), MYRI_API0_BAD_ROUTE);
    SAME(myri_api0_add_route(0, 3, route, 5), MYRI_API0_BAD_ROUTE);
    route[3] = 2;
    SAME(myri_api0_add_route(0, 3, route + 3, 1), MYRI_API0_BAD_ROUTE);
}

static void all_routes(void) {
    char here = 0;
    int id;
    while ((id = myri_api0_add_route(0, MYRI_API0_NEXT_ROUTE, &here, 1)) > 0 && id < 10000)
        ;
    SAME(id, MYRI_API0_NO_ROUTES);
}

static void buffers(void) {
    void *buf, *other;
    char mine[8];
    int size;
    SAME(myri_api0_get_send_buffer(0, &buf), MYRI_API0_OK);
    SAME(myri_api0_buffer_busy_p(0, buf), 0);
    SAME(myri_api0_buffer_busy_p(0, mine), MYRI_API0_BAD_BUFFER);
    SAME(myri_api0_send_route(0, 0, mine, 8, 17), MYRI_API0_BAD_BUFFER);
    SAME(myri_api0_send_route(0, 0, buf, 8, 18), MYRI_API0_BAD_ROUTE);
    SAME(myri_api0_send_route(0, 0, buf, 8, -1), MYRI_API0_BAD_ROUTE);
    SAME(myri_api0_send_route(0, -1, buf, 8, 17), MYRI_API0_BAD_CHAN);
    SAME(myri_api0_send_route(0, 0, buf, -1, 17), MYRI_API0_BAD_LENGTH);
    SAME(myri_api0_send_route(0, 0, buf, MYRI_API0_MAX_LEN + 1, 17), MYRI_API0_BAD_LENGTH);
    SAME(myri_api0_free_send(0, mine), MYRI_API0_BAD_BUFFER);
    SAME(myri_api0_free_recv(0, 0, buf), MYRI_API0_BAD_BUFFER);
    memset(buf, 1, MYRI_API0_MAX_LEN);
    /* To the other one by the zero route, and its answer. */
    SAME(myri_api0_send_route(0, 0, buf, MYRI_API0_MAX_LEN, 0), MYRI_API0_OK);
    while (myri_api0_buffer_busy_p(0, buf) == 1)
        ;
    SAME(myri_api0_num_pending(0), 0);
    SAME(myri_api0_recv(0, 1, &other, &size), MYRI_API0_NO_PACKET);
    while (myri_api0_recv_poll(0, 2) == 0)
        ;
    SAME(myri_api0_recv_poll(0, 2), 1);
    SAME(myri_api0_recv(0, 2, &other, &size), MYRI_API0_OK);
    SAME(size, MYRI_API0_MAX_LEN);
    SAME(memcmp(other, buf, size), 0);
    SAME(myri_api0_free_recv(0, 1, other), MYRI_API0_BAD_BUFFER);
    SAME(myri_api0_free_recv(0, 2, other), MYRI_API0_OK);
    SAME(myri_api0_free_recv(0, 2, other), MYRI_API0_BAD_BUFFER);
    SAME(myri_api0_free_send(0, (char*)buf), MYRI_API0_OK);
    SAME(myri_api0_free_send(0, (char*)buf), MYRI_API0_BAD_BUFFER);
    SAME(myri_api0_reap_sent(0), MYRI_API0_OK);
    SAME(myri_api0_reap_sent_l(0), MYRI_API0_OK);
}

static void all_buffers(void) {
    void* buf[1000];
    int n = 0, rc, i;
    while ((rc = myri_api0_get_send_buffer_l(0, &buf[n])) == MYRI_API0_OK)
        n++;
    SAME(rc, MYRI_API0_NO_BUFFERS);
    for (i = 0; i < n; i++)
        SAME(myri_api0_free_send_l(0, (char*)buf[i]), MYRI_API0_OK);
    SAME(myri_api0_get_send_buffer_l(0, &buf[0]), MYRI_API0_OK);
    SAME(myri_api0_free_send_l(0, (char*)buf[0]), MYRI_API0_OK);
}

static void lock(void) {
    void* buf;
    SAME(myri_api0_unlock(0), MYRI_API0_NOT_LOCKED);
    SAME(myri_api0_lock(0), MYRI_API0_OK);
    SAME(myri_api0_get_send_buffer(0, &buf), MYRI_API0_OK);
    SAME(myri_api0_free_send(0, (char*)buf), MYRI_API0_OK);
    SAME(myri_api0_unlock(0), MYRI_API0_OK);
    SAME(myri_api0_unlock(0), MYRI_API0_NOT_LOCKED);
    SAME(myri_api0_lock(1), MYRI_API0_BAD_UNIT);
    SAME(myri_api0_unlock(1), MYRI_API0_BAD_UNIT);
}

/* Sends back what it gets. */
static void echo(void) {
    void* buf;
    int size;
    while (myri_api0_recv(0, 0, &buf, &size) != MYRI_API0_OK)
        ;
    while (myri_api0_send_route(0, 2, buf, size, 0) == MYRI_API0_SEND_FULL)
        ;
    SAME(myri_api0_free_recv(0, 0, buf), MYRI_API0_OK);
}

int main(void) {
    int me = atoi(getenv("ISOPLANE_RANK"));
    SAME(myri_api0_handshake(0), MYRI_API0_NOT_INIT);
    SAME(myri_api0_get_chan(0, 0), MYRI_API0_NOT_INIT);
    SAME(myri_api0_init(1, 0, 0, NULL), MYRI_API0_BAD_UNIT);
    SAME(myri_api0_init(0, 0, 0, NULL), MYRI_API0_OK);
    SAME(myri_api0_init(0, 0, 0, (char*)"mcp.dat"), MYRI_API0_OK);
    SAME(myri_api0_handshake(0), MYRI_API0_OK);
    SAME(myri_api0_handshake(7), MYRI_API0_BAD_UNIT);
    if (me == 1) {
        SAME(myri_api0_get_chan(0, 0), 0);
        echo();
    } else {
        channels();
        routes(1 - me);
        buffers();
        all_buffers();
        lock();
        all_routes();
        SAME(myri_api0_init(0, 0, 1, NULL), MYRI_API0_OK);
        SAME(myri_api0_get_chan(0, 2), 2);
        printf("all codes as they should be\n");
    }
    return 0;
}
