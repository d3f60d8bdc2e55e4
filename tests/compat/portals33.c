/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Portals 3.3 in one process, as a program in C meets it: every function, from before the first to behind the
 * last. */
#include <p3-config.h>
#include <p3/debug.h>
#include <p3api/debug.h>
#include <p3nal_utcp.h>
#include <p3rt/p3rt.h>
#include <p3utils.h>
#include <portals3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PORTAL 4
#define CHECK(what) \
    if (!(what)) fail(#what, __LINE__)
#define RETURNS(call, code) returns(call, code, #call, __LINE__)

static void fail(const char* what, int line) {
    fprintf(stderr, "line %d: not so: %s\n", line, what);
    exit(1);
}

static void returns(int rc, int expected, const char* call, int line) {
    if (rc == expected) return;
    fprintf(stderr, "line %d: %s: %s instead of %s\n", line, call, PtlErrorStr((unsigned)rc),
            PtlErrorStr((unsigned)expected));
    exit(1);
}

static const ptl_process_id_t anyone = {PTL_NID_ANY, PTL_PID_ANY};
static ptl_handle_ni_t ni, other;
static ptl_process_id_t id, other_id;
static int handled;

static void count(ptl_event_t* event) {
    handled += event->type == PTL_EVENT_SEND_END;
}

static ptl_md_t md_of(void* start, ptl_size_t length, int threshold, unsigned options, ptl_handle_eq_t eq) {
    ptl_md_t md;
    memset(&md, 0, sizeof md);
    md.start = start;
    md.length = length;
    md.threshold = threshold;
    md.options = options;
    md.user_ptr = start;
    md.eq_handle = eq;
    return md;
}

/* The next event, which is of that kind. */
static ptl_event_t next(ptl_handle_eq_t eq, ptl_event_kind_t kind, int line) {
    ptl_event_t event;
    returns(PtlEQWait(eq, &event), PTL_OK, "PtlEQWait", line);
    if (event.type != kind) {
        fprintf(stderr, "line %d: %s instead of %s\n", line, PtlEventKindStr(event.type),
                PtlEventKindStr(kind));
        exit(1);
    }
    CHECK(event.ni_fail_type == PTL_NI_OK);
    return event;
}
#define NEXT(eq, kind) next(eq, kind, __LINE__)

static void before(void) {
    ptl_handle_any_t handle;
    ptl_event_t event;
    ptl_sr_value_t value;
    RETURNS(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, NULL, NULL, &ni), PTL_NO_INIT);
    RETURNS(PtlNIFini(0), PTL_NO_INIT);
    RETURNS(PtlNIStatus(0, PTL_SR_DROP_COUNT, &value), PTL_NO_INIT);
    RETURNS(PtlEQAlloc(0, 1, NULL, &handle), PTL_NO_INIT);
    RETURNS(PtlEQGet(0, &event), PTL_NO_INIT);
    RETURNS(PtlMEUnlink(0), PTL_NO_INIT);
    RETURNS(PtlMDUnlink(0), PTL_NO_INIT);
    RETURNS(PtlPut(0, PTL_ACK_REQ, anyone, 0, 0, 0, 0, 0), PTL_NO_INIT);
    RETURNS(PtlSetRank(PTL_INVALID_HANDLE, 0, 1), PTL_NO_INIT);
    PtlFini(); /* harmless */
}

static void interfaces(void) {
    ptl_ni_limits_t desired, actual;
    ptl_handle_ni_t again;
    ptl_sr_value_t value;
    ptl_process_id_t far = {77, 1};
    ptl_uid_t uid;
    ptl_jid_t jid;
    unsigned long distance;
    int interfaces = 0;
    RETURNS(PtlInit(&interfaces), PTL_OK);
    RETURNS(PtlInit(NULL), PTL_OK);
    CHECK(interfaces >= 1);
    CHECK(PtlNIDebug(PTL_INVALID_HANDLE, PTL_DBG_ALL) == 0);
    CHECK(PtlNIDebug(PTL_INVALID_HANDLE, PTL_DBG_NONE) == PTL_DBG_ALL);
    RETURNS(PtlNIInit(12345, PTL_PID_ANY, NULL, NULL, &ni), PTL_IFACE_INVALID);
    RETURNS(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, NULL, NULL, NULL), PTL_SEGV);
    memset(&desired, 0x7f, sizeof desired);
    desired.max_pt_index = 10;
    desired.max_ac_index = 1;
    RETURNS(PtlNIInit(PTL_IFACE_UTCP, 98, &desired, &actual, &ni), PTL_OK);
    CHECK(actual.max_pt_index == 10 && actual.max_ac_index == 1 && actual.max_ptable_index == 10);
    CHECK(actual.max_getput_md >= 64 && actual.max_mes > 0 && actual.max_mes < desired.max_mes);
    RETURNS(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, NULL, NULL, &again), PTL_OK);
    CHECK(again == ni);
    RETURNS(PtlNIInit(PTL_IFACE_LOOPBACK(1), 98, NULL, NULL, &other), PTL_PID_INVALID);
    RETURNS(PtlNIInit(PTL_IFACE_LOOPBACK(1), PTL_PID_ANY, NULL, NULL, &other), PTL_OK);
    CHECK(other != ni);
    RETURNS(PtlGetId(ni, &id), PTL_OK);
    RETURNS(PtlGetId(other, &other_id), PTL_OK);
    CHECK(id.pid == 98 && other_id.pid != 98);
    RETURNS(PtlGetId(PTL_INVALID_HANDLE, &id), PTL_NI_INVALID);
    RETURNS(PtlGetUid(ni, &uid), PTL_OK);
    RETURNS(PtlGetJid(ni, &jid), PTL_OK);
    CHECK(jid == 98);
    RETURNS(PtlNIDist(ni, id, &distance), PTL_OK);
    CHECK(distance == 0);
    RETURNS(PtlNIDist(ni, far, &distance), PTL_PROCESS_INVALID);
    RETURNS(PtlNIDist(ni, anyone, &distance), PTL_PROCESS_INVALID);
    RETURNS(PtlNIHandle(ni, &again), PTL_OK);
    CHECK(again == ni);
    RETURNS(PtlNIHandle(PTL_EQ_NONE, &again), PTL_HANDLE_INVALID);
    RETURNS(PtlNIStatus(ni, PTL_SR_DROP_COUNT, &value), PTL_OK);
    CHECK(value == 0);
    RETURNS(PtlNIStatus(ni, 29, &value), PTL_SR_INDEX_INVALID);
    RETURNS(PtlNIStatus(ni, 0, NULL), PTL_SEGV);
    RETURNS(PtlACEntry(ni, 1, anyone, PTL_UID_ANY, PTL_JID_ANY, PTL_PT_INDEX_ANY), PTL_OK);
    RETURNS(PtlACEntry(ni, 2, anyone, PTL_UID_ANY, PTL_JID_ANY, PTL_PT_INDEX_ANY), PTL_AC_INDEX_INVALID);
    RETURNS(PtlACEntry(ni, 1, anyone, PTL_UID_ANY, PTL_JID_ANY, 11), PTL_PT_INDEX_INVALID);
}

/* One MD, put to itself. */
static void self(void) {
    char buffer[16] = "hello";
    ptl_handle_eq_t eq;
    ptl_handle_me_t me;
    ptl_handle_md_t md;
    ptl_handle_ni_t its;
    ptl_event_t event;
    int i;
    RETURNS(PtlEQAlloc(ni, 8, PTL_EQ_HANDLER_NONE, &eq), PTL_OK);
    RETURNS(PtlMEAttach(ni, PORTAL, id, 0, 0, PTL_RETAIN, PTL_INS_AFTER, &me), PTL_OK);
    RETURNS(
        PtlMDAttach(me, md_of(buffer, sizeof buffer, PTL_MD_THRESH_INF, PTL_MD_OP_PUT, eq), PTL_RETAIN, &md),
        PTL_OK);
    RETURNS(PtlNIHandle(md, &its), PTL_OK);
    CHECK(its == ni);
    RETURNS(PtlPut(md, PTL_NO_ACK_REQ, id, PORTAL, 0, 0, 0, 0), PTL_OK);
    for (i = 0; i < 4; i++)
        RETURNS(PtlEQWait(eq, &event), PTL_OK);
    RETURNS(PtlEQGet(eq, &event), PTL_EQ_EMPTY);
    RETURNS(PtlMDUnlink(md), PTL_OK);
    RETURNS(PtlMDUnlink(md), PTL_MD_INVALID);
    RETURNS(PtlMEUnlink(me), PTL_OK);
    RETURNS(PtlEQFree(eq), PTL_OK);
    RETURNS(PtlEQFree(eq), PTL_EQ_INVALID);
}

static void put_and_get(void) {
    char here[64] = "from here to there", there[64] = "";
    ptl_handle_eq_t eq, target_eq, none;
    ptl_handle_me_t me, inserted;
    ptl_handle_md_t md, target, posted;
    ptl_event_t event;
    ptl_pt_index_t portal;
    ptl_size_t waiting;
    ptl_md_t spec, old;
    int which = 9;
    RETURNS(PtlEQAlloc(ni, 10, count, &eq), PTL_OK);
    RETURNS(PtlEQAlloc(other, 10, NULL, &target_eq), PTL_OK);
    RETURNS(PtlEQAlloc(ni, 0, NULL, &none), PTL_OK);
    CHECK(none == PTL_EQ_NONE);
    RETURNS(PtlMEAttachAny(other, &portal, anyone, 0, ~(ptl_match_bits_t)0, PTL_RETAIN, &me), PTL_OK);
    RETURNS(PtlMDAttach(me, md_of(there, sizeof there, PTL_MD_THRESH_INF, PTL_MD_OP_PUT, eq), PTL_RETAIN,
                        &target),
            PTL_MD_ILLEGAL); /* a queue of another interface */
    spec = md_of(there, sizeof there, PTL_MD_THRESH_INF, PTL_MD_OP_PUT | PTL_MD_OP_GET | PTL_MD_MANAGE_REMOTE,
                 target_eq);
    RETURNS(PtlMDAttach(me, spec, PTL_RETAIN, &target), PTL_OK);
    RETURNS(PtlMDAttach(me, spec, PTL_RETAIN, &posted), PTL_ME_IN_USE);

    RETURNS(PtlMDBind(ni, md_of(here, sizeof here, 2, 0, eq), PTL_UNLINK, &md), PTL_OK);
    RETURNS(PtlPutRegion(md, 5, 60, PTL_ACK_REQ, other_id, portal, 0, 7, 3, 99), PTL_MD_ILLEGAL);
    RETURNS(PtlPutRegion(md, 5, 13, PTL_ACK_REQ, other_id, portal, 0, 7, 3, 99), PTL_OK);
    event = NEXT(eq, PTL_EVENT_SEND_START);
    CHECK(event.initiator.pid == id.pid && event.md_handle == md && event.hdr_data == 99);
    NEXT(eq, PTL_EVENT_SEND_END);
    event = NEXT(eq, PTL_EVENT_ACK);
    CHECK(event.initiator.pid == other_id.pid && event.mlength == 13 && event.md.user_ptr == here);
    NEXT(eq, PTL_EVENT_UNLINK);
    CHECK(handled == 1);
    NEXT(target_eq, PTL_EVENT_PUT_START);
    event = NEXT(target_eq, PTL_EVENT_PUT_END);
    CHECK(event.offset == 3 && event.rlength == 13 && event.match_bits == 7 && event.pt_index == portal);
    CHECK(strcmp(there + 3, "here to there") == 0);

    RETURNS(PtlMDBind(ni, md_of(here, 16, 9, 0, eq), PTL_RETAIN, &md), PTL_OK);
    RETURNS(PtlGet(md, other_id, portal, 0, 7, 3), PTL_OK);
    NEXT(eq, PTL_EVENT_REPLY_START);
    NEXT(eq, PTL_EVENT_REPLY_END);
    CHECK(strcmp(here, "here to there") == 0);
    RETURNS(PtlGetRegion(md, 15, 2, other_id, portal, 0, 7, 3), PTL_MD_ILLEGAL);
    RETURNS(PtlGetRegion(md, 8, 4, other_id, portal, 0, 7, 3), PTL_OK);
    RETURNS(PtlEQPoll(&eq, 1, 0, &event, &which), PTL_OK);
    CHECK(which == 0 && event.type == PTL_EVENT_REPLY_START);
    RETURNS(PtlEQCount(eq, &waiting), PTL_OK);
    CHECK(waiting == 1);
    RETURNS(PtlEQPoll(&eq, 1, PTL_TIME_FOREVER, &event, &which), PTL_OK);
    event.ni_fail_type = 5;
    RETURNS(PtlEQPoll(&eq, 1, 1, &event, &which), PTL_EQ_EMPTY);
    CHECK(event.ni_fail_type == PTL_NI_OK);
    RETURNS(PtlEQPoll(&eq, 0, 1, &event, &which), PTL_EQ_INVALID);
    CHECK(memcmp(here, "here to here", 12) == 0);

    memcpy(here, "swap", 4);
    spec = md_of(here, 4, 9, 0, eq);
    RETURNS(PtlMDUpdate(md, &old, &spec, eq), PTL_OK);
    CHECK(old.length == 16 && old.threshold == 7);
    RETURNS(PtlMDUpdate(md, NULL, NULL, PTL_EQ_NONE), PTL_OK);
    RETURNS(PtlGetPut(md, md, other_id, portal, 0, 7, 3, 0), PTL_OK);
    RETURNS(PtlMDUpdate(md, NULL, &spec, eq), PTL_MD_NO_UPDATE);
    NEXT(eq, PTL_EVENT_SEND_START);
    NEXT(eq, PTL_EVENT_SEND_END);
    NEXT(eq, PTL_EVENT_REPLY_START);
    NEXT(eq, PTL_EVENT_REPLY_END);
    CHECK(memcmp(here, "here", 4) == 0 && memcmp(there + 3, "swap", 4) == 0);
    RETURNS(PtlMDUnlink(md), PTL_OK);

    RETURNS(PtlMEInsert(me, anyone, 1, 0, PTL_UNLINK, PTL_INS_BEFORE, &inserted), PTL_OK);
    RETURNS(PtlMEUnlink(inserted), PTL_OK);
    spec = md_of(NULL, 0, 1, PTL_MD_OP_PUT, PTL_EQ_NONE);
    RETURNS(PtlMEMDPost(other, me, anyone, 1, 0, PTL_UNLINK, PTL_INS_BEFORE, spec, PTL_UNLINK, &inserted,
                        &posted, target_eq),
            PTL_MD_NO_UPDATE); /* the gets are not read yet */
    RETURNS(PtlMEMDPost(other, me, anyone, 1, 0, PTL_UNLINK, PTL_INS_BEFORE, spec, PTL_UNLINK, &inserted,
                        &posted, PTL_EQ_NONE),
            PTL_OK);
    RETURNS(PtlMEUnlink(inserted), PTL_OK);
    RETURNS(PtlEQFree(target_eq), PTL_OK); /* though an MD has it */
}

static void ranks(void) {
    ptl_handle_ni_t ranked;
    ptl_process_id_t found;
    ptl_nid_t nids[2];
    ptl_pid_t pids[2];
    unsigned rank, size;
    RETURNS(PtlGetRank(ni, &rank, &size), PTL_NO_INIT);
    RETURNS(PtlSetRank(PTL_INVALID_HANDLE, ~0u, ~0u), PTL_NO_INIT);
    setenv("PTL_MY_RID", "2", 1);
    RETURNS(PtlSetRank(PTL_INVALID_HANDLE, ~0u, ~0u), PTL_NO_INIT);
    setenv("PTL_NIDMAP", "0::0", 1);
    RETURNS(PtlSetRank(PTL_INVALID_HANDLE, ~0u, ~0u), PTL_NO_INIT);
    setenv("PTL_PIDMAP", "200:0xc9", 1);
    RETURNS(PtlSetRank(PTL_INVALID_HANDLE, ~0u, ~0u), PTL_FAIL);
    setenv("PTL_MY_RID", "one", 1);
    RETURNS(PtlSetRank(PTL_INVALID_HANDLE, ~0u, ~0u), PTL_FAIL);
    setenv("PTL_MY_RID", "1", 1);
    setenv("PTL_PIDMAP", "200:-1", 1);
    RETURNS(PtlSetRank(PTL_INVALID_HANDLE, ~0u, ~0u), PTL_FAIL);
    setenv("PTL_PIDMAP", "200:201:202", 1);
    RETURNS(PtlSetRank(PTL_INVALID_HANDLE, ~0u, ~0u), PTL_FAIL);
    setenv("PTL_NIDMAP", "", 1);
    setenv("PTL_PIDMAP", "", 1);
    RETURNS(PtlSetRank(PTL_INVALID_HANDLE, ~0u, ~0u), PTL_FAIL);
    setenv("PTL_NIDMAP", "0::0", 1);
    setenv("PTL_PIDMAP", "200:0xc9", 1);
    setenv("PTL_MY_RID", "1", 1);
    RETURNS(PtlSetRank(PTL_INVALID_HANDLE, ~0u, ~0u), PTL_OK);
    RETURNS(PtlNIInit(PTL_IFACE_LOOPBACK(2), 5, NULL, NULL, &ranked), PTL_PID_INVALID);
    RETURNS(PtlNIInit(PTL_IFACE_LOOPBACK(2), PTL_PID_ANY, NULL, NULL, &ranked), PTL_OK);
    RETURNS(PtlGetId(ranked, &found), PTL_OK);
    CHECK(found.pid == 201);
    RETURNS(PtlGetRank(ranked, &rank, &size), PTL_OK);
    CHECK(rank == 1 && size == 2);
    RETURNS(PtlGetRankId(ranked, 0, &found), PTL_OK);
    CHECK(found.pid == 200);
    RETURNS(PtlGetRankId(ranked, 2, &found), PTL_NO_INIT);
    RETURNS(PtlGetNIDMap(ranked, nids, 2), PTL_OK);
    RETURNS(PtlGetPIDMap(ranked, pids, 2), PTL_OK);
    RETURNS(PtlGetPIDMap(ranked, pids, 3), PTL_FAIL);
    CHECK(nids[1] == 0 && pids[1] == 201);
    RETURNS(PtlSetNIDMap(ranked, nids, 2), PTL_FAIL);
    RETURNS(PtlSetPIDMap(ranked, pids, 2), PTL_PID_INVALID);
    RETURNS(PtlSetRank(ni, 0, 2), PTL_OK);
    RETURNS(PtlSetNIDMap(ni, nids, 2), PTL_OK);
    RETURNS(PtlSetPIDMap(ni, pids, 2), PTL_PID_INVALID); /* it is not 200 */
    pids[0] = id.pid;
    RETURNS(PtlSetPIDMap(ni, pids, 2), PTL_OK);
    RETURNS(PtlGetRankId(PTL_INVALID_HANDLE, 0, &found), PTL_NI_INVALID);
    RETURNS(PtlNIFini(ranked), PTL_OK);
    RETURNS(PtlNIFini(ranked), PTL_NI_INVALID);
}

static void words(void) {
    timeout_val_t timeout;
    CHECK(strcmp(PtlErrorStr(PTL_EQ_EMPTY), "PTL_EQ_EMPTY") == 0);
    CHECK(strcmp(PtlErrorStr(1000), "PTL_UNKNOWN_ERROR") == 0);
    CHECK(strcmp(PtlNIFailStr(ni, PTL_NI_FAIL), "PTL_NI_FAIL") == 0);
    CHECK(strcmp(PtlNIFailStr(ni, 1000), "PTL_NI_UNKNOWN_ERROR") == 0);
    CHECK(strcmp(PtlEventKindStr(PTL_EVENT_ACK), "PTL_EVENT_ACK") == 0);
    p3_out = stdout;
    fprintf(p3_out, FMT_NIDPID " " FMT_HDL_T " " FMT_SEQ_T " " FMT_SZ_T "\n", id.nid, id.pid, ni,
            (ptl_seq_t)1, sizeof id);
    clear_timeout(&timeout);
    CHECK(!test_timeout(&timeout));
    set_timeout(&timeout, 0);
    CHECK(test_timeout(&timeout));
    set_timeout(&timeout, 1000000);
    CHECK(!test_timeout(&timeout));
}

int main(void) {
    ptl_handle_ni_t old;
    before();
    interfaces();
    self();
    put_and_get();
    ranks();
    words();
    old = ni;
    PtlFini();
    RETURNS(PtlGetId(ni, &id), PTL_NO_INIT);
    RETURNS(PtlInit(NULL), PTL_OK);
    RETURNS(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, NULL, NULL, &ni), PTL_OK);
    CHECK(ni != old);
    RETURNS(PtlGetId(old, &id), PTL_NI_INVALID);
    return 0; /* without PtlFini(), as some do */
}
