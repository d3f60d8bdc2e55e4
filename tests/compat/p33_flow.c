/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Many operations on their way, from rank 0 to rank 1: p33_flow put|get|swap [COUNT [BYTES]]. Before each,
 * its MD is updated, if nothing is left in its queue; after each come the events that belong to it, in their
 * order. */
#include "p33.h"

#define WINDOW 32

static char memory[WINDOW][4096], theirs[WINDOW * 4096];

struct slot {
    ptl_handle_eq_t eq;
    ptl_handle_md_t md;
    ptl_md_t spec;
    int is_busy;
};

static ptl_process_id_t other;
static const char* what = "put";
static ptl_size_t bytes = 1024;

static void finish(struct slot* slot, int i) {
    ptl_event_t event;
    if (!slot->is_busy) return;
    slot->is_busy = 0;
    if (what[0] != 'g') {
        event = EXPECT(slot->eq, SEND_END);
        CHECK(event.md.user_ptr == memory[i]);
    }
    event = what[0] == 'p' ? EXPECT(slot->eq, ACK) : EXPECT(slot->eq, REPLY_END);
    CHECK(event.md.user_ptr == memory[i] && same(event.initiator, other) && event.md_handle == slot->md);
    CHECK(PtlEQGet(slot->eq, &event) == PTL_EQ_EMPTY);
}

static void begin(struct slot* slot, int i, int round) {
    const ptl_match_bits_t bits = what[0] == 'p' ? (ptl_match_bits_t)i : WINDOW;
    const ptl_size_t at = what[0] == 'p' ? 0 : i * bytes;
    int rc;
    /* A length of its own each time; from nothing on. */
    slot->spec.length = what[0] == 's' ? 1 + round % 64 : bytes;
    while ((rc = PtlMDUpdate(slot->md, NULL, &slot->spec, slot->eq)) == PTL_MD_NO_UPDATE)
        ;
    must(rc, "PtlMDUpdate", __LINE__);
    memset(memory[i], round, bytes);
    if (what[0] == 'p')
        MUST(PtlPutRegion(slot->md, 0, round % (bytes + 1), PTL_ACK_REQ, other, PORTAL, 0, bits, 0, round));
    else if (what[0] == 'g')
        MUST(PtlGetRegion(slot->md, 0, bytes, other, PORTAL, 0, bits, at));
    else
        MUST(PtlGetPut(slot->md, slot->md, other, PORTAL, 0, bits, at, 0));
    slot->is_busy = 1;
}

int main(int argc, char** argv) {
    struct slot slots[WINDOW];
    ptl_handle_eq_t eq, end;
    ptl_handle_me_t me;
    ptl_event_t event;
    int count, i;

    if (argc > 1) what = argv[1];
    count = argc > 2 ? atoi(argv[2]) : 1000;
    if (argc > 3) bytes = (ptl_size_t)atol(argv[3]);
    join();
    CHECK(size == 2 && bytes <= sizeof memory[0]);
    other = id_of(1 - rank);
    /* Rank 0 waits for acknowledgements only, and those may leave before this program reads what came. */
    eq = queue_of(what[0] == 'p' ? (ptl_size_t)count + 1 : 8);
    end = queue_of(8);

    /* One that takes all puts in turn, and is not read where nobody says that it is; and one that ends it. */
    memset(theirs, 1, sizeof theirs);
    for (i = 0; i < WINDOW; i++)
        attach(anyone, i,
               md_of(theirs, sizeof theirs, PTL_MD_THRESH_INF,
                     PTL_MD_OP_PUT | PTL_MD_MANAGE_REMOTE | PTL_MD_EVENT_START_DISABLE, eq),
               &me);
    attach(anyone, WINDOW,
           md_of(theirs, sizeof theirs, PTL_MD_THRESH_INF,
                 PTL_MD_OP_PUT | PTL_MD_OP_GET | PTL_MD_MANAGE_REMOTE |
                     (what[0] == 'g' ? PTL_MD_EVENT_START_DISABLE | PTL_MD_EVENT_END_DISABLE : 0),
                 eq),
           &me);
    attach(anyone, WINDOW + 1,
           md_of(NULL, 0, PTL_MD_THRESH_INF, PTL_MD_OP_PUT | PTL_MD_EVENT_START_DISABLE, end), &me);
    meet(other, 0);

    if (rank == 1) {
        for (i = 0; what[0] == 'p' && i < count; i++) {
            event = EXPECT(eq, PUT_END);
            CHECK(event.hdr_data == (ptl_hdr_data_t)i && event.match_bits == (ptl_match_bits_t)(i % WINDOW));
            CHECK(event.mlength == i % (bytes + 1) && same(event.initiator, other));
        }
        EXPECT(end, PUT_END);
        /* Of swaps that nobody looked at, the queue has the last ones, and says that there were more. */
        if (what[0] == 's')
            CHECK(PtlEQGet(eq, &event) == (count > 4 ? PTL_EQ_DROPPED : PTL_OK));
        else
            CHECK(PtlEQGet(eq, &event) == PTL_EQ_EMPTY);
        CHECK(PtlEQGet(end, &event) == PTL_EQ_EMPTY);
    } else {
        for (i = 0; i < WINDOW; i++) {
            slots[i].eq = queue_of(4);
            slots[i].spec =
                md_of(memory[i], bytes, PTL_MD_THRESH_INF, PTL_MD_EVENT_START_DISABLE, slots[i].eq);
            slots[i].is_busy = 0;
            MUST(PtlMDBind(ni, slots[i].spec, PTL_RETAIN, &slots[i].md));
        }
        for (i = 0; i < count; i++) {
            finish(&slots[i % WINDOW], i % WINDOW);
            begin(&slots[i % WINDOW], i % WINDOW, i);
        }
        for (i = 0; i < WINDOW; i++) {
            finish(&slots[i], i);
            if (what[0] == 'g' && count >= WINDOW) CHECK(memory[i][0] == 1 && memory[i][bytes - 1] == 1);
            MUST(PtlMDUnlink(slots[i].md));
        }
        slots[0].spec.length = 0;
        MUST(PtlMDBind(ni, slots[0].spec, PTL_RETAIN, &slots[0].md));
        MUST(PtlPut(slots[0].md, PTL_ACK_REQ, other, PORTAL, 0, WINDOW + 1, 0, 0));
        EXPECT(slots[0].eq, SEND_END);
        EXPECT(slots[0].eq, ACK);
    }
    printf("%s: %d\n", what, count);
    PtlFini();
    return 0;
}
