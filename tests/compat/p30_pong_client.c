/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Sends pings to the server at nid 0, and waits for its answers: p30_pong_client [LOOPS]. Written for
 * Portals 3.2, with fields of its structures left as they happen to be. */
#include "p30_pong.h"

int main(int argc, char** argv) {
    const int loops = argc > 1 ? atoi(argv[1]) : 30;
    char in[BUFFER], out[] = "from the client";
    ptl_handle_eq_t eq;
    ptl_handle_me_t me;
    ptl_handle_md_t md_in, md_out;
    ptl_md_t md;
    ptl_event_t event;
    ptl_process_id_t server = {SERVER_NID, SERVER_PID}, any = {PTL_NID_ANY, PTL_PID_ANY};
    ptl_size_t at = 0;
    int i;

    open_portals(PTL_PID_ANY);
    MUST(PtlEQAlloc(ni, 10, NULL, &eq));
    MUST(PtlMEAttach(ni, CLIENT_PORTAL, any, 0, ~0, PTL_RETAIN, PTL_INS_AFTER, &me));
    md.start = in;
    md.length = sizeof in;
    md.threshold = PTL_MD_THRESH_INF;
    md.options = PTL_MD_OP_PUT;
    md.user_ptr = NULL;
    md.eventq = eq;
    MUST(PtlMDAttach(me, md, PTL_RETAIN, PTL_RETAIN, &md_in));
    md.start = out;
    md.length = sizeof out;
    MUST(PtlMDBind(ni, md, &md_out));
    knock(server, 0);

    for (i = 0; i < loops; i++) {
        int is_sent = 0, is_answered = 0;
        MUST(PtlPut(md_out, PTL_NOACK_REQ, server, SERVER_PORTAL, 0, 0, 0, 0));
        while (!is_sent || !is_answered) {
            MUST(PtlEQWait(eq, &event));
            switch (event.type) {
                case PTL_EVENT_SEND_START:
                    break;
                case PTL_EVENT_SEND_END:
                    if (is_answered) quit("the answer before the end of what it answers");
                    is_sent = 1;
                    break;
                case PTL_EVENT_PUT_START:
                    break;
                case PTL_EVENT_PUT_END:
                    /* Behind the one before it. */
                    if (event.offset != at || strcmp(in + at, "from the server") != 0) quit("another answer");
                    at += event.mlength;
                    is_answered = 1;
                    break;
                default:
                    quit("an event that should not be");
            }
        }
    }
    PtlMDUnlink(md_in);
    PtlMDUnlink(md_out);
    PtlMEUnlink(me);
    PtlEQFree(eq);
    close_portals();
    printf("%d answers\n", loops);
    return 0;
}
