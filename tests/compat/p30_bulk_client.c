/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Sends a long message to the server at nid 0, with the bytes displaced: p30_bulk_client [BYTES [OFF
 * [COUNT]]]. An MD goes with its message; the one before it has arrived. */
#include "p30_pong.h"

#include <sys/time.h>

static double now_ms(void) {
    struct timeval t;
    gettimeofday(&t, NULL);
    return t.tv_sec * 1e3 + t.tv_usec / 1e3;
}

int main(int argc, char** argv) {
    const ptl_size_t bytes = argc > 1 ? (ptl_size_t)atol(argv[1]) : 1 << 20;
    const int off = argc > 2 ? atoi(argv[2]) : 0, count = argc > 3 ? atoi(argv[3]) : 3;
    unsigned char* const data = malloc(bytes + off + 1);
    ptl_process_id_t server = {SERVER_NID, SERVER_PID};
    ptl_handle_eq_t eq;
    ptl_handle_md_t handle;
    ptl_md_t md;
    ptl_event_t event;
    ptl_size_t i;
    int n;

    for (i = 0; i < bytes; i++)
        data[off + i] = (unsigned char)(i * 13 + i / 251);
    open_portals(PTL_PID_ANY);
    MUST(PtlEQAlloc(ni, 10, NULL, &eq));
    for (n = 0; n < count; n++) {
        const double start = now_ms();
        ptl_event_kind_t expected[] = {PTL_EVENT_SEND_START, PTL_EVENT_SEND_END, PTL_EVENT_UNLINK};
        knock(server, n);
        md.start = data + off;
        md.length = bytes;
        md.threshold = 1;
        md.options = 0;
        md.eventq = eq;
        MUST(PtlMDBind(ni, md, &handle));
        MUST(PtlPut(handle, PTL_NOACK_REQ, server, BULK_PORTAL, 0, 0, 0, 0));
        for (i = 0; i < 3; i++) {
            MUST(PtlEQWait(eq, &event));
            if (event.type != expected[i]) quit("another event");
        }
        if (PtlMDUnlink(handle) != PTL_INV_MD) quit("the MD should have gone");
        fprintf(stderr, "%lu bytes: %.3f ms\n", (unsigned long)bytes, now_ms() - start);
    }
    PtlEQFree(eq);
    close_portals();
    free(data);
    printf("sent %lu bytes %d times\n", (unsigned long)bytes, count);
    return 0;
}
