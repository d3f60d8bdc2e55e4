/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* The mask is kept, and nothing else is done with it. */
#ifndef ISOPLANE_P3API_DEBUG_H
#define ISOPLANE_P3API_DEBUG_H

#include "../portals3.h"

#define PTL_DBG_NONE 0x0000u
#define PTL_DBG_API 0x0001u
#define PTL_DBG_PARSE 0x0002u
#define PTL_DBG_MOVE 0x0004u
#define PTL_DBG_DROP 0x0008u
#define PTL_DBG_REQUEST 0x0010u
#define PTL_DBG_DELIVERY 0x0020u
#define PTL_DBG_MD 0x0040u
#define PTL_DBG_ME 0x0080u
#define PTL_DBG_UNLINK 0x0100u
#define PTL_DBG_EQ 0x0200u
#define PTL_DBG_EVENT 0x0400u
#define PTL_DBG_MEMORY 0x0800u
#define PTL_DBG_SETUP 0x1000u
#define PTL_DBG_SHUTDOWN 0x2000u
#define PTL_DBG_ALL 0xffffu
#define PTL_DBG_NI_ALL 0xffff0000u
#define PTL_DBG_NI_00 0x00010000u
#define PTL_DBG_NI_01 0x00020000u
#define PTL_DBG_NI_02 0x00040000u
#define PTL_DBG_NI_03 0x00080000u
#define PTL_DBG_NI_04 0x00100000u
#define PTL_DBG_NI_05 0x00200000u
#define PTL_DBG_NI_06 0x00400000u
#define PTL_DBG_NI_07 0x00800000u
#define PTL_DBG_NI_08 0x01000000u
#define PTL_DBG_NI_09 0x02000000u
#define PTL_DBG_NI_10 0x04000000u
#define PTL_DBG_NI_11 0x08000000u
#define PTL_DBG_NI_12 0x10000000u
#define PTL_DBG_NI_13 0x20000000u
#define PTL_DBG_NI_14 0x40000000u
#define PTL_DBG_NI_15 0x80000000u

#ifdef __cplusplus
extern "C" {
#endif

unsigned int PtlNIDebug(ptl_handle_ni_t ni, unsigned int mask);

#ifdef __cplusplus
}
#endif

#endif
