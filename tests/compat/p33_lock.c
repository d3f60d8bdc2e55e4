/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* All ranks count, each so many times, under a lock that rank 0 holds for them: p33_lock [TURNS]. A swap
 * takes the lock; the count is got, and put back; that of a rank that has done is a put of nothing. */
#include "p33.h"

#define LOCK 1
#define DONE 2

static struct {
    uint32_t lock;
    uint32_t count;
} shared;

static ptl_process_id_t keeper;
static ptl_handle_eq_t eq;
static ptl_handle_md_t flag_md, count_md;
static uint32_t flag, count;

/* One word of rank 0's becomes `with`; what it was is returned. */
static uint32_t swap(uint32_t with) {
    flag = with;
    MUST(PtlMDUpdate(flag_md, NULL, NULL, PTL_EQ_NONE));
    MUST(PtlGetPut(flag_md, flag_md, keeper, PORTAL, 0, LOCK, 0, 0));
    EXPECT(eq, SEND_END);
    EXPECT(eq, REPLY_END);
    return flag;
}

int main(int argc, char** argv) {
    const int turns = argc > 1 ? atoi(argv[1]) : 100;
    ptl_handle_eq_t done, both[2];
    ptl_handle_me_t me;
    ptl_event_t event;
    unsigned i, left;
    int turn, which;

    join();
    keeper = id_of(0);
    eq = queue_of(8);
    done = queue_of(64);
    if (rank == 0) {
        attach(anyone, LOCK,
               md_of(&shared, sizeof shared, PTL_MD_THRESH_INF,
                     PTL_MD_OP_PUT | PTL_MD_OP_GET | PTL_MD_MANAGE_REMOTE, PTL_EQ_NONE),
               &me);
        attach(anyone, DONE,
               md_of(NULL, 0, PTL_MD_THRESH_INF, PTL_MD_OP_PUT | PTL_MD_EVENT_START_DISABLE, done), &me);
        for (i = 1; i < size; i++)
            meet(id_of(i), 0);
    } else {
        meet(keeper, 0);
    }
    MUST(PtlMDBind(ni, md_of(&flag, sizeof flag, PTL_MD_THRESH_INF, PTL_MD_EVENT_START_DISABLE, eq),
                   PTL_RETAIN, &flag_md));
    MUST(PtlMDBind(ni, md_of(&count, sizeof count, PTL_MD_THRESH_INF, PTL_MD_EVENT_START_DISABLE, eq),
                   PTL_RETAIN, &count_md));
    for (turn = 0; turn < turns; turn++) {
        while (swap(1) != 0)
            ;
        MUST(PtlGetRegion(count_md, 0, sizeof count, keeper, PORTAL, 0, LOCK, 4));
        EXPECT(eq, REPLY_END);
        count++;
        MUST(PtlPutRegion(count_md, 0, sizeof count, PTL_ACK_REQ, keeper, PORTAL, 0, LOCK, 4, 0));
        EXPECT(eq, SEND_END);
        EXPECT(eq, ACK);
        CHECK(swap(0) == 1);
    }
    MUST(PtlPutRegion(count_md, 0, 0, PTL_ACK_REQ, keeper, PORTAL, 0, DONE, 0, 0));
    EXPECT(eq, SEND_END);
    both[0] = eq;
    both[1] = done;
    for (left = rank == 0 ? size + 1 : 1; left > 0;) {
        const int rc = PtlEQPoll(both, 2, 0, &event, &which);
        CHECK(event.ni_fail_type == PTL_NI_OK);
        if (rc == PTL_EQ_EMPTY) continue;
        must(rc, "PtlEQPoll", __LINE__);
        CHECK(event.type == (which == 0 ? PTL_EVENT_ACK : PTL_EVENT_PUT_END) && event.mlength == 0);
        left--;
    }
    if (rank == 0) CHECK(shared.count == turns * size && shared.lock == 0);
    printf("%u turns\n", rank == 0 ? shared.count : (unsigned)turns);
    PtlFini();
    return 0;
}
