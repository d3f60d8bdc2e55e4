/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Takes long messages, with the bytes displaced: p30_bulk_server [BYTES [OFF [COUNT]]]. The MD is used up by
 * one, and the next is attached to the entry that stays as soon as that is told. What is too long is cut off.
 */
#include "p30_pong.h"

#include <signal.h>

static void catch_abort(int number) {
    (void)number;
    close_portals();
    exit(0);
}

int main(int argc, char** argv) {
    const ptl_size_t bytes = argc > 1 ? (ptl_size_t)atol(argv[1]) : 1 << 20;
    const int off = argc > 2 ? atoi(argv[2]) : 0, count = argc > 3 ? atoi(argv[3]) : 3;
    unsigned char* const data = malloc(bytes + off + 1);
    ptl_process_id_t any = {PTL_NID_ANY, PTL_PID_ANY};
    ptl_handle_eq_t eq;
    ptl_handle_me_t me, door;
    ptl_handle_md_t handle;
    ptl_md_t md;
    ptl_event_t event;
    ptl_size_t i;
    int n;

    open_portals(SERVER_PID);
    MUST(PtlEQAlloc(ni, 10, NULL, &eq));
    MUST(PtlMEAttach(ni, BULK_PORTAL, any, 0, 0xFFFFFFFFFFFFFFFF, 0, PTL_INS_AFTER, &me));
    signal(SIGINT, catch_abort);
    md.start = data + off;
    md.length = bytes;
    md.threshold = 1;
    md.options = PTL_MD_OP_PUT | PTL_MD_TRUNCATE;
    md.eventq = eq;
    for (n = 0; n < count; n++) {
        ptl_event_kind_t expected[] = {PTL_EVENT_PUT_START, PTL_EVENT_PUT_END, PTL_EVENT_UNLINK};
        memset(data, 0, bytes + off);
        MUST(PtlMDAttach(me, md, PTL_UNLINK, PTL_UNLINK, &handle));
        door = open_door(n);
        fprintf(stderr, "waiting\n");
        for (i = 0; i < 3; i++) {
            MUST(PtlEQWait(eq, &event));
            if (event.type != expected[i]) quit("another event");
            if (event.type == PTL_EVENT_PUT_END && event.mlength != bytes) quit("another length");
        }
        MUST(PtlMEUnlink(door));
        for (i = 0; i < bytes; i++)
            if (data[off + i] != (unsigned char)(i * 13 + i / 251)) quit("a wrong byte");
    }
    close_portals();
    free(data);
    printf("took %lu bytes %d times\n", (unsigned long)bytes, count);
    return 0;
}
