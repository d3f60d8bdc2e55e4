/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* Ranks over Portals: which process of a group is which. PTL_INVALID_HANDLE stands for the interface that is
 * initialised next. */
#ifndef ISOPLANE_P3RT_H
#define ISOPLANE_P3RT_H

#include "../portals3.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A rank and a size of (unsigned)-1: all from the environment, PTL_MY_RID, PTL_NIDMAP, PTL_PIDMAP,
 * PTL_MY_JID. */
int PtlSetRank(ptl_handle_ni_t ni, unsigned int rank, unsigned int group_size);
int PtlSetNIDMap(ptl_handle_ni_t ni, ptl_nid_t* map, unsigned int group_size);
int PtlSetPIDMap(ptl_handle_ni_t ni, ptl_pid_t* map, unsigned int group_size);
int PtlGetRank(ptl_handle_ni_t ni, unsigned int* rank, unsigned int* group_size);
int PtlGetRankId(ptl_handle_ni_t ni, unsigned int rank, ptl_process_id_t* id);
int PtlGetNIDMap(ptl_handle_ni_t ni, ptl_nid_t* map, unsigned int group_size);
int PtlGetPIDMap(ptl_handle_ni_t ni, ptl_pid_t* map, unsigned int group_size);
int PtlSetJID(ptl_jid_t jid);

#ifdef __cplusplus
}
#endif

#endif
