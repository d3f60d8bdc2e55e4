/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* How Portals was built, for programs that ask. Messages move though nobody calls. */
#ifndef ISOPLANE_P3_CONFIG_H
#define ISOPLANE_P3_CONFIG_H

#define PTL_PROGRESS_THREAD 1

#endif
