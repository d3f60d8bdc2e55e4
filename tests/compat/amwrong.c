/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* What active messages refuse, and that it changes nothing. */
#include <stdio.h>
#include <stdlib.h>

#include <am.h>

static volatile int replies, requests;

static void expect(int refused, const char* what) {
    if (refused) return;
    printf("%s\n", what);
    exit(1);
}

static void nothing(int source) {}

static void on_reply(int source, int number) {
    replies++;
    expect(am_request_0(source, nothing) == -1, "a reply handler could request");
    expect(am_reply_0(source, nothing) == -1, "a reply handler could reply");
    am_poll();
}

static void on_request(int source, int number) {
    static char data[4];
    requests++;
    expect(am_request_0(source, nothing) == -1, "a request handler could request");
    expect(am_store(source, data, data, 4, nothing, 0) == -1, "a request handler could store");
    expect(am_get(source, data, data, 4, nothing, 0) == -1, "a request handler could get");
    expect(am_reply_0((source + 1) % am_procs(), nothing) == -1, "a request handler could reply to another");
    expect(am_reply_0(source + 65536, nothing) == -1, "a request handler could reply to no node");
    expect(am_reply_xfer(source + 65536, &source, &source, sizeof source, nothing, 0) == -1,
           "a request handler could reply to no node with data");
    expect(am_reply_0(source, (void (*)(void))(void*)data) == -1, "data was taken for a handler of a reply");
    expect(am_reply_xfer(source, data, data, 4, (void (*)(void))(void*)data, 0) == -1,
           "data was taken for a handler of a reply with data");
    expect(am_reply_1(source, on_reply, number) == 0, "a request handler could not reply");
    expect(am_reply_1(source, on_reply, number) == -1, "a request handler could reply twice");
}

int main(void) {
    int i, data = 0;
    am_enable();
    expect(am_reply_0(0, nothing) == -1, "main() could reply");
    expect(am_request_0(am_procs(), nothing) == -1, "a node was asked that there is not");
    expect(am_request_0(-1, nothing) == -1, "a node was asked that there cannot be");
    expect(am_request_0(0, (void (*)(void))(void*)&data) == -1, "data was taken for a handler");
    expect(am_store(0, &data, &data, -1, nothing, 0) == -1, "less than nothing was stored");
    for (i = 0; i < am_procs(); i++)
        am_request_1(i, on_request, i);
    am_wait_for(replies == am_procs());
    barrier();
    printf("%d requests and %d replies\n", requests, replies);
    return 0;
}
