/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* How printf writes what Portals has. */
#ifndef ISOPLANE_P3_DEBUG_H
#define ISOPLANE_P3_DEBUG_H

#include <inttypes.h>

#define FMT_NIDPID "%" PRIu32 ",%" PRIu32 /* nid, pid */
#define FMT_HDL_T "%#" PRIx32
#define FMT_SEQ_T "%" PRIu32
#define FMT_SZ_T "%zu"

#endif
