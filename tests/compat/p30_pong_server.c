/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Answers the pings of clients: p30_pong_server [LOOPS]. Its entry goes with its MD. */
#include "p30_pong.h"

int main(int argc, char** argv) {
    const int loops = argc > 1 ? atoi(argv[1]) : 30;
    char in[BUFFER], out[] = "from the server";
    ptl_handle_eq_t eq;
    ptl_handle_me_t me;
    ptl_handle_md_t md_in, md_out;
    ptl_md_t md;
    ptl_event_t event;
    ptl_process_id_t any = {PTL_NID_ANY, PTL_PID_ANY};
    int i = 0;

    open_portals(SERVER_PID);
    MUST(PtlEQAlloc(ni, 10, NULL, &eq));
    md.start = out;
    md.length = sizeof out;
    md.threshold = PTL_MD_THRESH_INF;
    md.options = PTL_MD_OP_PUT;
    md.user_ptr = NULL;
    md.eventq = eq;
    MUST(PtlMDBind(ni, md, &md_out));
    MUST(PtlMEAttach(ni, SERVER_PORTAL, any, 0, ~0, PTL_UNLINK, PTL_INS_AFTER, &me));
    md.start = in;
    md.length = sizeof in;
    MUST(PtlMDAttach(me, md, PTL_UNLINK, PTL_UNLINK, &md_in));
    open_door(0);

    while (i < loops) {
        MUST(PtlEQWait(eq, &event));
        if (event.type != PTL_EVENT_PUT_END) continue;
        if (event.mlength != sizeof "from the client" || event.rlength != event.mlength ||
            strcmp(in + event.offset, "from the client") != 0)
            quit("another ping");
        MUST(PtlPut(md_out, PTL_NOACK_REQ, event.initiator, CLIENT_PORTAL, 0, 0, 0, 0));
        i++;
    }
    for (i = 0; i < loops;) {
        if (PtlEQGet(eq, &event) == PTL_EQ_EMPTY && PtlMDUnlink(md_out) == PTL_OK) break;
    }
    PtlMDUnlink(md_in);
    if (PtlMEUnlink(me) != PTL_INV_ME) quit("the entry should have gone with its MD");
    PtlEQFree(eq);
    close_portals();
    printf("%d pings\n", loops);
    return 0;
}
