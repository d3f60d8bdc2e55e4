/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors */

/* The interface to the other processes of a job. A program that was not started in one gets the first
 * loopback interface by this name. */
#ifndef ISOPLANE_P3NAL_ISOPLANE_H
#define ISOPLANE_P3NAL_ISOPLANE_H

#include "p3nal_loopback.h"

#define PTL_IFACE_ISOPLANE 0xf0f0f200u
#ifndef PTL_IFACE_DEFAULT
#define PTL_IFACE_DEFAULT PTL_IFACE_ISOPLANE
#endif

#endif
