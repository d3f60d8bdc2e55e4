/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Portals 3.3. Fields that have another name in the dialect of 3.2 have both; portals/p30.h brings the rest
 * of that dialect. doc/portals.md says what is behind it. */
#ifndef ISOPLANE_PORTALS3_H
#define ISOPLANE_PORTALS3_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t ptl_size_t;
typedef uint64_t ptl_match_bits_t;
typedef uint64_t ptl_hdr_data_t;
typedef uint64_t ptl_sr_value_t;
typedef uint32_t ptl_handle_any_t;
typedef ptl_handle_any_t ptl_handle_ni_t;
typedef ptl_handle_any_t ptl_handle_eq_t;
typedef ptl_handle_any_t ptl_handle_md_t;
typedef ptl_handle_any_t ptl_handle_me_t;
typedef uint32_t ptl_pt_index_t;
typedef uint32_t ptl_ac_index_t;
typedef uint32_t ptl_sr_index_t;
typedef uint32_t ptl_interface_t;
typedef uint32_t ptl_nid_t;
typedef uint32_t ptl_pid_t;
typedef uint32_t ptl_uid_t;
typedef uint32_t ptl_jid_t;
typedef uint32_t ptl_seq_t;
typedef uint32_t ptl_ni_fail_t;
typedef uint32_t ptl_time_t; /* milliseconds */

#define PTL_INVALID_HANDLE ((ptl_handle_any_t)0xffffffffu)
#define PTL_HANDLE_NONE ((ptl_handle_any_t)0x7fffffffu)
#define PTL_EQ_NONE ((ptl_handle_eq_t)0xbfffffffu)
#define PTL_NID_ANY ((ptl_nid_t)0xffffffffu)
#define PTL_PID_ANY ((ptl_pid_t)0xffffffffu)
#define PTL_UID_ANY ((ptl_uid_t)0xffffffffu)
#define PTL_JID_ANY ((ptl_jid_t)0xffffffffu)
#define PTL_PT_INDEX_ANY ((ptl_pt_index_t)0xffffffffu)
#define PTL_MD_THRESH_INF (-1)
#define PTL_TIME_FOREVER ((ptl_time_t)0xffffffffu)
#define PTL_NI_OK 0
#define PTL_NI_FAIL 1

enum {
    PTL_OK,
    PTL_AC_INDEX_INVALID,
    PTL_EQ_DROPPED,
    PTL_EQ_EMPTY,
    PTL_EQ_INVALID,
    PTL_FAIL,
    PTL_HANDLE_INVALID,
    PTL_IFACE_INVALID,
    PTL_MD_ILLEGAL,
    PTL_MD_INVALID,
    PTL_MD_IN_USE,
    PTL_MD_NO_UPDATE,
    PTL_ME_INVALID,
    PTL_ME_IN_USE,
    PTL_ME_LIST_TOO_LONG,
    PTL_NI_INVALID,
    PTL_NO_INIT,
    PTL_NO_SPACE,
    PTL_PID_INVALID,
    PTL_PROCESS_INVALID,
    PTL_PT_FULL,
    PTL_PT_INDEX_INVALID,
    PTL_SEGV,
    PTL_SR_INDEX_INVALID,
    PTL_UNKNOWN_ERROR,
    PTL_MAX_ERRNO
};

typedef enum { PTL_RETAIN, PTL_UNLINK } ptl_unlink_t;
typedef enum { PTL_INS_BEFORE, PTL_INS_AFTER } ptl_ins_pos_t;
typedef enum { PTL_ACK_REQ, PTL_NO_ACK_REQ } ptl_ack_req_t;

typedef enum {
    PTL_EVENT_GET_START,
    PTL_EVENT_GET_END,
    PTL_EVENT_PUT_START,
    PTL_EVENT_PUT_END,
    PTL_EVENT_GETPUT_START,
    PTL_EVENT_GETPUT_END,
    PTL_EVENT_REPLY_START,
    PTL_EVENT_REPLY_END,
    PTL_EVENT_SEND_START,
    PTL_EVENT_SEND_END,
    PTL_EVENT_ACK,
    PTL_EVENT_UNLINK,
    /* Of portals/p30.h only. */
    PTL_EVENT_GET_FAIL,
    PTL_EVENT_PUT_FAIL,
    PTL_EVENT_REPLY_FAIL,
    PTL_EVENT_SEND_FAIL
} ptl_event_kind_t;

/* Options of a memory descriptor. */
#define PTL_MD_OP_PUT 0x0001
#define PTL_MD_OP_GET 0x0002
#define PTL_MD_MANAGE_REMOTE 0x0004
#define PTL_MD_TRUNCATE 0x0008
#define PTL_MD_ACK_DISABLE 0x0010
#define PTL_MD_IOVEC 0x0020
#define PTL_MD_MAX_SIZE 0x0040
#define PTL_MD_EVENT_START_DISABLE 0x0080
#define PTL_MD_EVENT_END_DISABLE 0x0100

/* Status registers; others are PTL_SR_INDEX_INVALID. */
#define PTL_SR_DROP_COUNT 0
#define PTL_SR_DROP_LENGTH 1
#define PTL_SR_RECV_COUNT 2
#define PTL_SR_RECV_LENGTH 3
#define PTL_SR_SEND_COUNT 4
#define PTL_SR_SEND_LENGTH 5
#define PTL_SR_MES_ALLOC 12
#define PTL_SR_MES_FREED 13
#define PTL_SR_MES_MAX 14
#define PTL_SR_MES_CUR 15
#define PTL_SR_MDS_ALLOC 16
#define PTL_SR_MDS_FREED 17
#define PTL_SR_MDS_MAX 18
#define PTL_SR_MDS_CUR 19
#define PTL_SR_EQS_ALLOC 20
#define PTL_SR_EQS_FREED 21
#define PTL_SR_EQS_MAX 22
#define PTL_SR_EQS_CUR 23

typedef struct {
    ptl_nid_t nid;
    ptl_pid_t pid;
} ptl_process_id_t;

typedef struct {
    __extension__ union { int max_mes, max_match_entries; };
    __extension__ union { int max_mds, max_mem_descriptors; };
    __extension__ union { int max_eqs, max_event_queues; };
    __extension__ union { int max_ac_index, max_atable_index; };
    __extension__ union { int max_pt_index, max_ptable_index; };
    int max_md_iovecs;
    int max_me_list;
    int max_getput_md;
} ptl_ni_limits_t;

typedef struct {
    void* iov_base;
    ptl_size_t iov_len;
} ptl_md_iovec_t;

typedef struct {
    void* start; /* with PTL_MD_IOVEC: of an array of ptl_md_iovec_t */
    ptl_size_t length;
    int threshold;
    __extension__ union { ptl_size_t max_size, max_offset; };
    unsigned int options;
    void* user_ptr;
    __extension__ union { ptl_handle_eq_t eq_handle, eventq; };
} ptl_md_t;

typedef struct {
    ptl_event_kind_t type;
    ptl_process_id_t initiator;
    ptl_uid_t uid;
    ptl_uid_t jid;
    __extension__ union { ptl_pt_index_t pt_index, portal; };
    ptl_match_bits_t match_bits;
    ptl_size_t rlength;
    ptl_size_t mlength;
    ptl_size_t offset;
    ptl_handle_md_t md_handle;
    __extension__ union { ptl_md_t md, mem_desc; };
    ptl_hdr_data_t hdr_data;
    ptl_seq_t link;
    ptl_ni_fail_t ni_fail_type;
    volatile ptl_seq_t sequence;
} ptl_event_t;

/* Called by whoever reads the queue, with every event. */
typedef void (*ptl_eq_handler_t)(ptl_event_t* event);
#define PTL_EQ_HANDLER_NONE ((ptl_eq_handler_t)NULL)

int PtlInit(int* max_interfaces);
void PtlFini(void);

int PtlNIInit(ptl_interface_t iface, ptl_pid_t pid, ptl_ni_limits_t* desired, ptl_ni_limits_t* actual,
              ptl_handle_ni_t* ni);
int PtlNIFini(ptl_handle_ni_t ni);
int PtlNIStatus(ptl_handle_ni_t ni, ptl_sr_index_t reg, ptl_sr_value_t* status);
int PtlNIDist(ptl_handle_ni_t ni, ptl_process_id_t process, unsigned long* distance);
int PtlNIHandle(ptl_handle_any_t handle, ptl_handle_ni_t* ni);
int PtlGetUid(ptl_handle_ni_t ni, ptl_uid_t* uid);
int PtlGetId(ptl_handle_ni_t ni, ptl_process_id_t* id);
int PtlGetJid(ptl_handle_ni_t ni, ptl_jid_t* jid);
int PtlACEntry(ptl_handle_ni_t ni, ptl_ac_index_t index, ptl_process_id_t match_id, ptl_uid_t uid,
               ptl_jid_t jid, ptl_pt_index_t portal);

int PtlMEAttach(ptl_handle_ni_t ni, ptl_pt_index_t pt_index, ptl_process_id_t match_id,
                ptl_match_bits_t match_bits, ptl_match_bits_t ignore_bits, ptl_unlink_t unlink,
                ptl_ins_pos_t position, ptl_handle_me_t* me);
int PtlMEAttachAny(ptl_handle_ni_t ni, ptl_pt_index_t* pt_index, ptl_process_id_t match_id,
                   ptl_match_bits_t match_bits, ptl_match_bits_t ignore_bits, ptl_unlink_t unlink,
                   ptl_handle_me_t* me);
int PtlMEInsert(ptl_handle_me_t base, ptl_process_id_t match_id, ptl_match_bits_t match_bits,
                ptl_match_bits_t ignore_bits, ptl_unlink_t unlink, ptl_ins_pos_t position,
                ptl_handle_me_t* me);
int PtlMEUnlink(ptl_handle_me_t me);

int PtlMDAttach(ptl_handle_me_t me, ptl_md_t md, ptl_unlink_t unlink_op, ptl_handle_md_t* md_handle);
int PtlMDBind(ptl_handle_ni_t ni, ptl_md_t md, ptl_unlink_t unlink_op, ptl_handle_md_t* md_handle);
int PtlMDUnlink(ptl_handle_md_t md);
int PtlMDUpdate(ptl_handle_md_t md, ptl_md_t* old_md, ptl_md_t* new_md, ptl_handle_eq_t testq);
int PtlMEMDPost(ptl_handle_ni_t ni, ptl_handle_me_t base, ptl_process_id_t match_id,
                ptl_match_bits_t match_bits, ptl_match_bits_t ignore_bits, ptl_unlink_t unlink,
                ptl_ins_pos_t position, ptl_md_t md, ptl_unlink_t unlink_op, ptl_handle_me_t* me,
                ptl_handle_md_t* md_handle, ptl_handle_eq_t eq);
/* What PtlMDAttach() is in 3.2. */
int ptlx_MDAttach(ptl_handle_me_t me, ptl_md_t md, ptl_unlink_t unlink_op, ptl_unlink_t unlink_nofit,
                  ptl_handle_md_t* md_handle);

int PtlEQAlloc(ptl_handle_ni_t ni, ptl_size_t count, ptl_eq_handler_t handler, ptl_handle_eq_t* eq);
int PtlEQFree(ptl_handle_eq_t eq);
int PtlEQGet(ptl_handle_eq_t eq, ptl_event_t* event);
int PtlEQWait(ptl_handle_eq_t eq, ptl_event_t* event);
int PtlEQPoll(ptl_handle_eq_t* eqs, int size, ptl_time_t timeout, ptl_event_t* event, int* which_eq);
int PtlEQCount(ptl_handle_eq_t eq, ptl_size_t* count);

int PtlPut(ptl_handle_md_t md, ptl_ack_req_t ack_req, ptl_process_id_t target, ptl_pt_index_t pt_index,
           ptl_ac_index_t ac_index, ptl_match_bits_t match_bits, ptl_size_t remote_offset,
           ptl_hdr_data_t hdr_data);
int PtlPutRegion(ptl_handle_md_t md, ptl_size_t local_offset, ptl_size_t length, ptl_ack_req_t ack_req,
                 ptl_process_id_t target, ptl_pt_index_t pt_index, ptl_ac_index_t ac_index,
                 ptl_match_bits_t match_bits, ptl_size_t remote_offset, ptl_hdr_data_t hdr_data);
int PtlGet(ptl_handle_md_t md, ptl_process_id_t target, ptl_pt_index_t pt_index, ptl_ac_index_t ac_index,
           ptl_match_bits_t match_bits, ptl_size_t remote_offset);
int PtlGetRegion(ptl_handle_md_t md, ptl_size_t local_offset, ptl_size_t length, ptl_process_id_t target,
                 ptl_pt_index_t pt_index, ptl_ac_index_t ac_index, ptl_match_bits_t match_bits,
                 ptl_size_t remote_offset);
int PtlGetPut(ptl_handle_md_t get_md, ptl_handle_md_t put_md, ptl_process_id_t target,
              ptl_pt_index_t pt_index, ptl_ac_index_t ac_index, ptl_match_bits_t match_bits,
              ptl_size_t remote_offset, ptl_hdr_data_t hdr_data);

/* Sends and receives what can be, of the interface that the handle belongs to. */
int PtlProgress(ptl_handle_any_t handle, ptl_time_t timeout);

const char* PtlErrorStr(unsigned int rc);
const char* PtlNIFailStr(ptl_handle_ni_t ni, ptl_ni_fail_t fail);
const char* PtlEventKindStr(ptl_event_kind_t kind);

#ifdef __cplusplus
}
#endif

#endif
