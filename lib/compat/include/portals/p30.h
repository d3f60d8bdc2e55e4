/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Portals as programs of the time of 3.2 use it: names of its own for what portals3.h has, and functions with
 * fewer or more arguments, which are told apart by counting them. The parenthesised name of a function, and
 * its address, are those of portals3.h. */
#ifndef ISOPLANE_PORTALS_P30_H
#define ISOPLANE_PORTALS_P30_H

#include "../p3nal_isoplane.h"
#include "../portals3.h"

#define PTL_NOACK_REQ PTL_NO_ACK_REQ
#define PTL_MD_NONE PTL_HANDLE_NONE
#define PTL_ID_ANY 0xffffffffu
#define PTL_IFACE_INAL PTL_IFACE_DEFAULT
#define PTL_IFACE_MYR PTL_IFACE_DEFAULT

#define PTL_AC_INV_INDEX PTL_AC_INDEX_INVALID
#define PTL_INV_EQ PTL_EQ_INVALID
#define PTL_INV_HANDLE PTL_HANDLE_INVALID
#define PTL_INIT_INV PTL_IFACE_INVALID
#define PTL_ILL_MD PTL_MD_ILLEGAL
#define PTL_INV_MD PTL_MD_INVALID
#define PTL_MD_INUSE PTL_MD_IN_USE
#define PTL_NOUPDATE PTL_MD_NO_UPDATE
#define PTL_INV_ME PTL_ME_INVALID
#define PTL_INUSE PTL_ME_IN_USE
#define PTL_ML_TOOLONG PTL_ME_LIST_TOO_LONG
#define PTL_INV_NI PTL_NI_INVALID
#define PTL_NOINIT PTL_NO_INIT
#define PTL_NOSPACE PTL_NO_SPACE
#define PTL_INV_PROC PTL_PROCESS_INVALID
#define PTL_INV_PTINDEX PTL_PT_INDEX_INVALID
#define PTL_PT_INV_INDEX PTL_PT_INDEX_INVALID
#define PTL_INV_SR_INDX PTL_SR_INDEX_INVALID
#define PTL_INV_REG PTL_SR_INDEX_INVALID
/* Never returned. */
#define PTL_INIT_DUP (PTL_MAX_ERRNO + 1)
#define PTL_INV_ASIZE (PTL_MAX_ERRNO + 2)

/* The field max_offset counts only for programs that say so, with this option for one MD, or with
 * -DPTL_STRICT_MAX_OFFSET for all: others leave it as it happens to be. */
#define PTL_MD_MAX_OFFSET 0x0200

static __inline__ ptl_md_t p30_fix_md(ptl_md_t md) {
#ifdef PTL_STRICT_MAX_OFFSET
    md.options |= PTL_MD_MAX_OFFSET;
#endif
    if ((md.options & PTL_MD_MAX_OFFSET) != 0) {
        ptl_size_t length = md.length;
        if ((md.options & PTL_MD_IOVEC) != 0 && md.start != NULL) {
            const ptl_md_iovec_t* segments = (const ptl_md_iovec_t*)md.start;
            ptl_size_t i;
            for (length = 0, i = 0; i < md.length; i++)
                length += segments[i].iov_len;
        }
        md.options &= ~(unsigned int)PTL_MD_MAX_SIZE;
        if (md.max_offset <= length) {
            md.max_size = length - md.max_offset;
            md.options |= PTL_MD_MAX_SIZE;
        }
        md.options &= ~(unsigned int)PTL_MD_MAX_OFFSET;
    }
    return md;
}

static __inline__ int p30_NIInit(ptl_interface_t iface, ptl_pid_t pid, ptl_ni_limits_t* desired,
                                 ptl_ni_limits_t* actual, ptl_handle_ni_t* ni) {
    ptl_ni_limits_t all;
    int rc;
    if (desired != NULL) {
        /* Programs of 3.2 know five fields, and leave the others as they are. */
        all = *desired;
        all.max_md_iovecs = all.max_me_list = all.max_getput_md = INT_MAX;
    }
    rc = PtlNIInit(iface, pid, desired != NULL ? &all : NULL, actual, ni);
    return rc == PTL_PID_INVALID ? PTL_INV_PROC : rc;
}

static __inline__ int p30_event(int rc, ptl_event_t* event) {
    if ((rc != PTL_OK && rc != PTL_EQ_DROPPED) || event->ni_fail_type == PTL_NI_OK) return rc;
    if (event->type == PTL_EVENT_GET_END)
        event->type = PTL_EVENT_GET_FAIL;
    else if (event->type == PTL_EVENT_PUT_END)
        event->type = PTL_EVENT_PUT_FAIL;
    else if (event->type == PTL_EVENT_REPLY_END)
        event->type = PTL_EVENT_REPLY_FAIL;
    else if (event->type == PTL_EVENT_SEND_END)
        event->type = PTL_EVENT_SEND_FAIL;
    return rc;
}
static __inline__ int p30_EQGet(ptl_handle_eq_t eq, ptl_event_t* event) {
    return p30_event(PtlEQGet(eq, event), event);
}
static __inline__ int p30_EQWait(ptl_handle_eq_t eq, ptl_event_t* event) {
    return p30_event(PtlEQWait(eq, event), event);
}

static __inline__ int p30_MDAttach_4(ptl_handle_me_t me, ptl_md_t md, ptl_unlink_t unlink_op,
                                     ptl_handle_md_t* h) {
    return PtlMDAttach(me, p30_fix_md(md), unlink_op, h);
}
static __inline__ int p30_MDAttach_5(ptl_handle_me_t me, ptl_md_t md, ptl_unlink_t unlink_op,
                                     ptl_unlink_t unlink_nofit, ptl_handle_md_t* h) {
    return ptlx_MDAttach(me, p30_fix_md(md), unlink_op, unlink_nofit, h);
}
static __inline__ int p30_MDBind_3(ptl_handle_ni_t ni, ptl_md_t md, ptl_handle_md_t* h) {
    return PtlMDBind(ni, p30_fix_md(md), PTL_UNLINK, h);
}
static __inline__ int p30_MDBind_4(ptl_handle_ni_t ni, ptl_md_t md, ptl_unlink_t unlink_op,
                                   ptl_handle_md_t* h) {
    return PtlMDBind(ni, p30_fix_md(md), unlink_op, h);
}
static __inline__ int p30_MDUpdate(ptl_handle_md_t md, ptl_md_t* old_md, ptl_md_t* new_md,
                                   ptl_handle_eq_t testq) {
    ptl_md_t fixed;
    if (new_md == NULL) return PtlMDUpdate(md, old_md, NULL, testq);
    fixed = p30_fix_md(*new_md);
    return PtlMDUpdate(md, old_md, &fixed, testq);
}
static __inline__ int p30_MEInsert_6(ptl_handle_me_t base, ptl_process_id_t match_id,
                                     ptl_match_bits_t match_bits, ptl_match_bits_t ignore_bits,
                                     ptl_ins_pos_t position, ptl_handle_me_t* me) {
    return PtlMEInsert(base, match_id, match_bits, ignore_bits, PTL_RETAIN, position, me);
}
static __inline__ int p30_EQAlloc_3(ptl_handle_ni_t ni, ptl_size_t count, ptl_handle_eq_t* eq) {
    return PtlEQAlloc(ni, count, PTL_EQ_HANDLER_NONE, eq);
}
static __inline__ int p30_ACEntry_5(ptl_handle_ni_t ni, ptl_ac_index_t index, ptl_process_id_t match_id,
                                    ptl_uid_t uid, ptl_pt_index_t portal) {
    return PtlACEntry(ni, index, match_id, uid, PTL_JID_ANY, portal);
}
#define p30_MEInsert_7 (PtlMEInsert)
#define p30_EQAlloc_4 (PtlEQAlloc)
#define p30_ACEntry_6 (PtlACEntry)

#define P30_CAT_(a, b) a##b
#define P30_CAT(a, b) P30_CAT_(a, b)
#define P30_NTH(a, b, c, d, e, f, g, h, n, ...) n
#define P30_COUNT(...) P30_NTH(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1, 0)

#define PtlNIInit(...) p30_NIInit(__VA_ARGS__)
#define PtlEQGet(...) p30_EQGet(__VA_ARGS__)
#define PtlEQWait(...) p30_EQWait(__VA_ARGS__)
#define PtlMDUpdate(...) p30_MDUpdate(__VA_ARGS__)
#define PtlMDAttach(...) P30_CAT(p30_MDAttach_, P30_COUNT(__VA_ARGS__))(__VA_ARGS__)
#define PtlMDBind(...) P30_CAT(p30_MDBind_, P30_COUNT(__VA_ARGS__))(__VA_ARGS__)
#define PtlMEInsert(...) P30_CAT(p30_MEInsert_, P30_COUNT(__VA_ARGS__))(__VA_ARGS__)
#define PtlEQAlloc(...) P30_CAT(p30_EQAlloc_, P30_COUNT(__VA_ARGS__))(__VA_ARGS__)
#define PtlACEntry(...) P30_CAT(p30_ACEntry_, P30_COUNT(__VA_ARGS__))(__VA_ARGS__)

#endif
