/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* The interfaces of one process, joined to each other and to themselves. */
#ifndef ISOPLANE_P3NAL_LOOPBACK_H
#define ISOPLANE_P3NAL_LOOPBACK_H

#define PTL_IFACE_LOOPBACK0 0xf0f0f100u
#define PTL_IFACE_LOOPBACK(n) (PTL_IFACE_LOOPBACK0 + (n)) /* n is 0 to 6 */
#endif
