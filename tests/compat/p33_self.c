/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Every rank puts to itself, from the MD that takes it, and ends without a word. */
#include "p33.h"

int main(void) {
    ptl_event_kind_t kinds[4] = {PTL_EVENT_SEND_START, PTL_EVENT_SEND_END, PTL_EVENT_PUT_START,
                                 PTL_EVENT_PUT_END};
    char memory[64] = "to itself";
    ptl_handle_eq_t eq;
    ptl_handle_me_t me;
    ptl_handle_md_t md;
    int i, j;

    join();
    eq = queue_of(8);
    md = attach(self, 0, md_of(memory, sizeof memory, PTL_MD_THRESH_INF, PTL_MD_OP_PUT, eq), &me);
    MUST(PtlPut(md, PTL_NO_ACK_REQ, self, PORTAL, 0, 0, 0, 0));
    for (i = 0; i < 4; i++) {
        ptl_event_t event;
        MUST(PtlEQWait(eq, &event));
        for (j = 0; j < 4 && kinds[j] != event.type;)
            j++;
        CHECK(j < 4 && event.ni_fail_type == PTL_NI_OK);
        kinds[j] = PTL_EVENT_UNLINK; /* each once */
    }
    MUST(PtlMDUnlink(md));
    MUST(PtlMEUnlink(me));
    CHECK(strcmp(memory, "to itself") == 0);
    printf("4 events\n");
    return 0;
}
