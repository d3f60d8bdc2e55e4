/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* As p3nal_utcp.h. */
#ifndef ISOPLANE_P3NAL_IBNG_H
#define ISOPLANE_P3NAL_IBNG_H

#include "p3nal_isoplane.h"

#define PTL_IFACE_IBNG PTL_IFACE_DEFAULT
#define PTL_IFACE_IBNG0 PTL_IFACE_DEFAULT

#endif
